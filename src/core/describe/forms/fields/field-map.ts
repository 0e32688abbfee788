import { ANY_KEY } from "../../../profile/fold-maps.js";
import { fieldName, keyInName } from "../../../profile/field-name.js";
import type { RecordProfile } from "../../../profile/profile.js";
import type { FieldProfile, ShapeNode } from "../../../profile/shape.js";
import type { Detail, FieldStyle } from "./field-style.js";
import { type Entry, runText, withRuns } from "./field-runs.js";
import { fieldText, MAX_MEMBERS } from "./field-text.js";
import { areFew } from "./values-text.js";

/** How much of the fields is shown. */
export interface FieldMapSize {
  /** Most fields that are named. */
  readonly maxFields: number;
  readonly detail: Detail;
  /** Fields that have this detail, those of few values first; the others have only how many lack them. */
  readonly detailed?: number;
  /** Values of one field that are counted. */
  readonly maxValues?: number;
  readonly rows?: boolean;
  /** The call that lists what is not named, of the record or of the field there; empty without a tool for it. */
  readonly listing?: (parent: readonly string[]) => string;
}

/** Longest field name that is shown, in UTF-16 units; longer ones count as left out. */
const MAX_NAME_CHARACTERS = 64;
const MAX_PARENTS = 3;
const MAX_VALUES = 6;
const LEAST_DETAIL = "lacks";

/**
 * The fields as one flat map from name to type, the commonest first. What is not named stands in `…`: how many fields,
 * what they are in, and the call that lists them. Records that are no objects give their type alone.
 */
export function fieldMap(profile: RecordProfile, size: FieldMapSize): unknown {
  const { root, sampledCount, recordCount } = profile;
  const style: FieldStyle = {
    detail: size.detail,
    maxValues: size.maxValues ?? MAX_VALUES,
    of: root.count,
    isSample: sampledCount < recordCount,
    rows: size.rows === true,
  };
  if (sampledCount === 0 && recordCount > 0 && !style.rows) {
    const listing = size.listing?.([]) ?? "";
    return `not looked at, as each is so long${listing === "" ? "" : `: ${listing}`}`;
  }
  if (profile.fields.length === 0) return fieldText(root, style);
  const all = profile.fields.flatMap((field) => entriesOf(field, root.count));
  const named = all.filter(({ name }) => name.length <= MAX_NAME_CHARACTERS);
  const shown = nearest(withRuns(named, style.rows), size.maxFields);
  const detailed = new Set(fewestValues(shown).slice(0, size.detailed ?? Infinity));
  const entries = shown.map((entry) => {
    const detail = detailed.has(entry) ? size.detail : LEAST_DETAIL;
    const own = { ...style, of: entry.of, detail };
    const text = entry.run === undefined ? fieldText(entry.node, own) : runText(entry.run, own);
    return [entry.name, text];
  });
  const isShown = new Set(shown.flatMap(({ node, run = [node] }) => run));
  const rest = all.filter(({ node }) => !isShown.has(node));
  const hidden = rest.length + profile.omittedFields;
  if (hidden > 0) {
    entries.push(["…", restText(profile, hidden, rest, size)]);
  }
  return Object.fromEntries(entries);
}

/** Those nearest the record where not all are named, in their order. */
function nearest(entries: readonly Entry[], most: number): readonly Entry[] {
  if (entries.length <= most) return entries;
  const first = entries.toSorted((one, other) => one.path.length - other.path.length);
  const chosen = new Set(first.slice(0, most));
  return entries.filter((entry) => chosen.has(entry));
}

function valuesOf({ node }: Entry): number {
  return areFew(node) ? (node.values?.length ?? 0) : Infinity;
}

/** Those of which most is said by few words first. */
function fewestValues(entries: readonly Entry[]): readonly Entry[] {
  return entries.toSorted((one, other) => {
    const [first, second] = [valuesOf(one), valuesOf(other)];
    return first === second ? 0 : first - second;
  });
}

/** What is more than the fields below it, and maps; of maps whose members have many fields, these too. */
function entriesOf(field: FieldProfile, of: number): readonly Entry[] {
  const own = { name: nameOf(field), of, path: field.path, node: field };
  if (field.map === undefined) return field.fields.length === 0 || isMixed(field) ? [own] : [];
  return [own, ...insideOf(own.name, field.map.members, field.path)];
}

/** Whether some values are no objects: nothing else would say so. */
function isMixed({ types }: FieldProfile): boolean {
  return types.some((type) => type !== "object" && type !== "null");
}

function nameOf({ path, map, fields }: FieldProfile): string {
  const name = fieldName(path);
  return map !== undefined && fields.length > 0 ? `${name}.${ANY_KEY}` : name;
}

/** The fields of a map's members, where they are too many for its line. */
function insideOf(name: string, members: ShapeNode, path: readonly string[]): readonly Entry[] {
  if (members.fields.length <= MAX_MEMBERS) return [];
  const base = name.endsWith(ANY_KEY) ? name : `${name}.${ANY_KEY}`;
  return members.fields.map((field) => ({
    name: `${base}.${keyInName(field.path.at(-1) ?? "")}`,
    of: members.count,
    path,
    node: field,
  }));
}

function restText(
  profile: RecordProfile,
  hidden: number,
  rest: readonly Entry[],
  { listing }: FieldMapSize,
): string {
  const parents = [...new Set(rest.map(({ path }) => (path.length > 1 ? (path[0] ?? "") : "")))];
  const inside = parents.filter((name) => name !== "" && name.length <= MAX_NAME_CHARACTERS);
  const isInside = inside.length === parents.length && profile.omittedFields === 0;
  const more = inside.length > MAX_PARENTS ? [`${inside.length - MAX_PARENTS} more`] : [];
  const where =
    isInside && inside.length > 0
      ? ` in ${[...inside.slice(0, MAX_PARENTS).map(keyInName), ...more].join(", ")}`
      : "";
  const count = `${profile.omitsMore ? "at least " : ""}${hidden} more fields${where}`;
  const call = listing?.(isInside && inside.length === 1 ? [inside[0] ?? ""] : []) ?? "";
  return call === "" ? count : `${count}; ${call}`;
}
