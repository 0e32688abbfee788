import { counted } from "../../util/amounts.js";
import { shorten } from "../../util/safe-text.js";
import { ANY_KEY, keyInName, type Place } from "../profile/place.js";
import type { RecordProfile } from "../profile/profile.js";
import { type Density, kindsOf, type Look, typeText } from "./place-text.js";

interface FieldSet {
  readonly profile: RecordProfile;
  readonly isTable: boolean;
}

export type FieldLines = string | Readonly<Record<string, string>>;

interface Line extends Look {
  readonly name: string;
  readonly place: Place;
  /** How many objects could have the field. */
  readonly of: number;
  readonly isInner: boolean;
  density: Density;
  text: string;
}

/** The line of the records themselves, where some are no objects. */
const RECORD = "(record)";
/** Of `"":"text",`. */
const LEAST_LINE_CHARACTERS = 10;
const MAX_NAME_CHARACTERS = 64;
const MAX_HIDDEN_CHARACTERS = 160;

/**
 * Within `maxCharacters` UTF-16 units. Nested fields lose counts, then disappear; then other fields lose counts,
 * values and ranges, and disappear. `…` names fields without a line.
 */
export function fieldLines(
  sets: readonly FieldSet[],
  maxCharacters: number,
): readonly FieldLines[] {
  const linesOfSets = sets.map((set) => ({ set, lines: linesOf(set) }));
  const lines = linesOfSets.flatMap((one) => one.lines);
  // Nested ones go first; of equal weight, later ones.
  const order = lines
    .toReversed()
    .toSorted(
      (one, other) =>
        Number(other.isInner) - Number(one.isInner) || weightOf(other) - weightOf(one),
    );
  // More lines cannot fit, however short they are.
  const most = Math.floor(maxCharacters / LEAST_LINE_CHARACTERS);
  const kept = most > 0 ? order.slice(-most) : [];
  for (const line of kept) {
    line.density = "counts";
    line.text = textOfLine(line);
  }
  let characters = lines.reduce((sum, line) => sum + lengthOf(line), 0);
  for (const [density, isInner] of STEPS) {
    for (const line of kept) {
      if (characters <= maxCharacters) break;
      if (line.isInner !== isInner) continue;
      characters -= lengthOf(line);
      line.density = density;
      line.text = density === "none" ? "" : textOfLine(line);
      characters += lengthOf(line);
    }
  }
  return linesOfSets.map(({ set, lines: own }) => {
    if (own.length === 0) return emptyText(set);
    const shown = own.filter(({ density }) => density !== "none");
    const rest = restText(set.profile, own);
    return {
      ...Object.fromEntries(shown.map(({ name, text }) => [name, text])),
      ...(rest !== "" && { "…": rest }),
    };
  });
}

const STEPS = [
  ["values", true],
  ["none", true],
  ["values", false],
  ["types", false],
  ["none", false],
] as const;

export function lookedAt({ sampledCount, recordCount }: RecordProfile): string | undefined {
  if (sampledCount === recordCount) return undefined;
  return `a sample of ${sampledCount} of ${recordCount} records; line_schema describes only these`;
}

function lookAt({ profile, isTable }: FieldSet): Look {
  return { density: "counts", isSample: profile.sampledCount < profile.recordCount, isTable };
}

function emptyText(set: FieldSet): string {
  const { root, sampledCount, recordCount } = set.profile;
  if (sampledCount === 0 && recordCount > 0) return "not examined, because each is too long";
  return textOfLine({ ...lookAt(set), place: root, of: root.count });
}

function linesOf(set: FieldSet): Line[] {
  const { root } = set.profile;
  const lines: Line[] = [];
  const add = (place: Place, name: string, of: number, isInner: boolean) => {
    lines.push({ ...lookAt(set), name, place, of, isInner, density: "none", text: "" });
  };
  const visit = (place: Place, name: string, of: number, isInner: boolean) => {
    const { fields, items, members, objects, count, columns = [] } = place;
    // Otherwise the fields inside say everything.
    if (fields.length === 0 || objects < count || (isInner && count < of) || columns.length > 0)
      add(place, name, of, isInner);
    visitFields(place, name, isInner ? objects : of, isInner);
    if (items !== undefined) visitFields(items, `${name}[]`, items.objects, true);
    if (members !== undefined) visitFields(members, `${name}.${ANY_KEY}`, members.objects, true);
  };
  const visitFields = (place: Place, name: string, of: number, isInner: boolean) => {
    for (const field of place.fields) visit(field, `${name}.${keyInName(field.key)}`, of, isInner);
  };
  if (root.fields.length > 0 && (kindsOf(root).length > 1 || root.nulls > 0)) {
    add(root, RECORD, root.count, false);
    if (root.items !== undefined) visitFields(root.items, "[]", root.items.objects, true);
  }
  for (const field of root.fields) visit(field, field.name, root.count, false);
  return lines;
}

function weightOf({ name, place, of }: Line): number {
  return name.split(".").length * 50 + (place.count < of / 20 ? 400 : 0);
}

function lengthOf({ name, text, density }: Line): number {
  return density === "none" ? 0 : JSON.stringify(name).length + JSON.stringify(text).length + 2;
}

function restText({ lacksFields }: RecordProfile, lines: readonly Line[]): string {
  const hidden = lines.filter(({ density, isInner }) => density === "none" && !isInner);
  if (hidden.length === 0) return lacksFields ? "more fields" : "";
  const names = hidden.map(({ name }) => shorten(name, MAX_NAME_CHARACTERS)).join(", ");
  const least = lacksFields ? "at least " : "";
  return `${least}${counted(hidden.length, "more field")}: ${shorten(names, MAX_HIDDEN_CHARACTERS)}`;
}

/** `integer 1 to 40; 12 null; absent in 3`. */
function textOfLine(line: Look & Pick<Line, "place" | "of">): string {
  const { place, of, density, isSample } = line;
  const text = typeText(place, line);
  const { count, empties } = place;
  const nulls = place.nulls < count ? place.nulls : 0;
  const absent = of - count;
  if (density === "types") return absent + nulls > 0 ? `${text}?` : text;
  const some = (times: number) => (isSample ? "some" : String(times));
  const parts = [
    text,
    nulls > 0 && `${some(nulls)} null`,
    empties > 0 && `${some(empties)} empty`,
    absent > 0 && `absent in ${some(absent)}`,
  ];
  return parts.filter(Boolean).join("; ");
}
