import { grouped } from "../../../util/amounts.js";
import { safeJson, shorten } from "../../../util/safe-text.js";
import { jqPath } from "../../content/json/sets/set-names.js";
import { commonKeys, type Place } from "../../profile/place.js";
import { profileValue } from "../../profile/profile.js";
import { WORDS } from "../place-text.js";
import type { Outline, OutlineEntry } from "./outline.js";

/** How a place is reached. */
interface Way {
  readonly path: string;
  readonly depth: number;
  /** The keys that lead to it; `undefined` below elements, of which there may be many. */
  readonly keys: readonly string[] | undefined;
  /** Whether nothing may be there for some of what it stands in. */
  readonly mayLack: boolean;
}

const MAX_ENTRIES = 600;
const MAX_ENTRY_CHARACTERS = 280;
const MAX_KEY_CHARACTERS = 40;
const SHOWN_KEYS = 3;
/** Members of an object that is shown where it stands. */
const MAX_INLINE = 4;
/** The values of a list's elements that are shown. */
const MAX_LISTED_CHARACTERS = 40;
const HEADER =
  "jq path (how many values): fields; × how often, (in n) how many have it; text where no type is named";
const SURELY_SHOWN = 2;
/** What a level counts against ten times as many values. */
const DEPTH_WEIGHT = 0.5;

/**
 * The places of a document, each with a path of jq, how many values are there and what these have: the root, then those
 * with most values that are least deep. `undefined` where there is nothing to tell.
 *
 * @param lineOf - The first line of what such keys lead to, where it is known.
 */
export function structureOutline(
  value: unknown,
  lineOf: (keys: readonly string[]) => number | undefined,
): Outline | undefined {
  const entries: OutlineEntry[] = [];

  function add({ path, depth, keys }: Way, count: string, place: Place): void {
    const line = keys && lineOf(keys);
    const head = `${line === undefined ? "" : `${line}: `}${path}${count === "" ? "" : ` (${count})`}`;
    const room = MAX_ENTRY_CHARACTERS - head.length;
    const text = isPlainObject(place)
      ? fieldsText(place, room)
      : typeText(place).replace(/^: /, "");
    entries.push({
      text: `${head}: ${text === "" ? "text" : text}`,
      rank: path === "." ? 0 : 1,
      weight: Math.log10(place.count) - DEPTH_WEIGHT * depth,
    });
  }

  /** @param told - Of the values of a map, how many there are. */
  function visit(place: Place, way: Way, told?: string): void {
    const { fields, members, items, kinds, objects } = place;
    const { path, depth } = way;
    const isOne = place.count === 1 && way.keys !== undefined;
    if (told !== undefined) add(way, told, place);
    else if (isPlainObject(place) && !isWay(place))
      add(way, isOne ? "" : grouped(place.count), place);
    const every = `${path}[]${way.mayLack || kinds.length > 1 ? "?" : ""}`;
    const below = { path: every, depth: depth + 1, keys: undefined, mayLack: false };
    // Of objects beside the lists, the same path would give the members.
    const elements = objects > 0 ? undefined : items;
    if (elements !== undefined && !isScalar(elements) && !isInline(elements))
      visit(elements, below);
    else if (elements !== undefined && path === ".") add(below, grouped(elements.count), elements);
    if (members !== undefined) visit(members, { ...below, keys: way.keys }, mapText(place));
    const others = kinds.filter(([type]) => type !== "object");
    for (const field of fields) {
      const { key, count } = field;
      if (isScalar(field) || isInline(field) || key.length > MAX_KEY_CHARACTERS) continue;
      const step = jqPath([key]) + (others.some(([type]) => type !== "null") ? "?" : "");
      visit(field, {
        path: path === "." ? step : path + step,
        depth: depth + 1,
        keys: objects === 1 ? way.keys && [...way.keys, key] : undefined,
        mayLack: way.mayLack || others.length > 0 || count < objects,
      });
    }
  }

  visit(profileValue(value), { path: ".", depth: 0, keys: [], mayLack: false });
  const total = entries.length;
  if (total === 0) return undefined;
  const sorted = entries.toSorted((a, b) => a.rank - b.rank || b.weight - a.weight);
  return {
    facts: [HEADER],
    entries: sorted.slice(0, MAX_ENTRIES),
    total,
    noun: "places",
    // What is shown of an outline are the first ones.
    hasLines: sorted.slice(0, SURELY_SHOWN).some(({ text }) => !text.startsWith(".")),
  };
}

/** How many members a map has, the first of their keys, and the first keys of what is of another kind. */
function mapText(map: Place): string {
  const { members, objects, lacksKeys } = map;
  const keys = commonKeys(map);
  const keyCount = `${lacksKeys ? "at least " : ""}${grouped(keys.length)}`;
  const all =
    objects === 1 ? `${keyCount} keys` : `${grouped(members?.count ?? 0)} under ${keyCount} keys`;
  const odd = (members?.kinds ?? []).slice(1).flatMap(([type, count]) => {
    const first = members?.firstKeys.get(type) ?? [];
    return first.length === 0 ? [] : [`${WORDS[type]} at ${someKeys(first, count)}`];
  });
  return [`${all}: ${someKeys(keys, keys.length)}`, ...odd].join("; ");
}

function someKeys(keys: readonly string[], count: number): string {
  const shown = keys.slice(0, SHOWN_KEYS);
  return shown.map(keyText).join(", ") + (count > shown.length ? ", …" : "");
}

/** The fields of objects, as many as have room. */
function fieldsText({ fields, objects, lacksFields }: Place, room: number): string {
  let text = "";
  let shown = 0;
  for (const field of fields) {
    const next = (shown === 0 ? "" : ", ") + fieldText(field, objects);
    if (shown > 0 && text.length + next.length > room) break;
    text += next;
    shown += 1;
  }
  const more = fields.length - shown;
  if (lacksFields) return `${text}, at least ${grouped(more + 1)} more`;
  if (fields.length === 0) return "object";
  return more === 0 ? text : `${text}, ${grouped(more)} more`;
}

function fieldText(field: Place, objects: number): string {
  const { key, count } = field;
  const lack = count < objects ? ` (in ${grouped(count)})` : "";
  const only = objects === 1 ? onlyValue(field) : undefined;
  return `${keyText(key)}${only === undefined ? typeText(field) : `: ${only}`}${lack}`;
}

/** What values are, behind their key: `: map of 30 keys`, `: list of 4 {x: number}`, `: "a" ×3, "b" ×2`; nothing for text. */
function typeText(place: Place): string {
  const { objects, arrays, items } = place;
  const nested = [
    ...(objects === 0 ? [] : [objectText(place)]),
    ...(arrays === 0 ? [] : [listText(items)]),
  ];
  const scalars = scalarKinds(place);
  // What stands last may be a list of several kinds.
  if (nested.length > 0) return `: ${scalars && `${scalars} or `}${nested.join(" or ")}`;
  const few = fewValues(place);
  return few === undefined && scalars === "text" ? "" : `: ${few ?? scalars}`;
}

function objectText(place: Place): string {
  const { members, fields, objects } = place;
  if (members !== undefined) return `map of ${grouped(commonKeys(place).length)} keys`;
  if (!isInline(place) || fields.length === 0) return "object";
  return `{${fields.map((field) => fieldText(field, objects)).join(", ")}}`;
}

function listText(items: Place | undefined): string {
  if (items === undefined || items.count === 0) return "list";
  const text = typeText(items).replace(/^: /, "");
  const isShort = !isScalar(items) || text.length <= MAX_LISTED_CHARACTERS;
  const what = text === "" ? "text" : isShort ? text : scalarKinds(items);
  const each = what === "object" && items.count > 1 ? "objects" : what;
  // How many are in each of several lists is not known.
  return `list of ${grouped(items.count)} ${each.replace(/^list of (.*)$/, "lists ($1 in all)")}`;
}

function scalarKinds({ kinds }: Place): string {
  return kinds
    .filter(([type]) => type !== "object" && type !== "array")
    .map(([type]) => WORDS[type])
    .toSorted()
    .join("|");
}

const MAX_SHOWN = 4;
const MANY_VALUES = 8;
/** How often one value is there on the average when they are told. */
const MIN_REPEATED = 2;
const MIN_COUNT = 4;
const MAX_VALUE_CHARACTERS = 24;

/** The values where they are few and short, the commonest first: `"0" ×46, "2" ×21`. */
function fewValues({ values, nulls, count }: Place): string | undefined {
  const all = [...(values ?? []), ...(nulls > 0 ? [{ value: null, count: nulls }] : [])];
  if (values === undefined || all.length > MANY_VALUES) return undefined;
  if (count < MIN_COUNT || count < all.length * MIN_REPEATED) return undefined;
  const texts = all
    .toSorted((one, other) => other.count - one.count)
    .map(({ value, count: times }) => [safeJson(value), times] as const);
  if (texts.some(([text]) => text.length > MAX_VALUE_CHARACTERS)) return undefined;
  const shown = texts.slice(0, MAX_SHOWN).map(([text, times]) => `${text} ×${grouped(times)}`);
  const more = texts.length - shown.length;
  return shown.join(", ") + (more > 0 ? `, ${more} other${more === 1 ? "" : "s"}` : "");
}

/** The one value of a place, where it is short and no more than a kind says. */
function onlyValue({ values = [], count, nulls }: Place): string | undefined {
  const [only] = count === 1 && nulls === 0 ? values : [];
  const text = only && safeJson(only.value);
  return text === undefined || text.length > MAX_VALUE_CHARACTERS ? undefined : text;
}

function isScalar({ objects, arrays }: Place): boolean {
  return objects === 0 && arrays === 0;
}

function isPlainObject({ objects, members, arrays }: Place): boolean {
  return objects > 0 && members === undefined && arrays === 0;
}

/** An object with few members and nothing below them. */
function isInline(place: Place): boolean {
  const { fields } = place;
  return isPlainObject(place) && fields.length <= MAX_INLINE && fields.every(isScalar);
}

/** An object that only leads to another place. */
function isWay({ fields, count }: Place): boolean {
  const [only] = fields.length === 1 && count === 1 ? fields : [];
  if (only === undefined || isScalar(only) || isInline(only)) return false;
  return only.arrays === 0 || (only.items !== undefined && !isInline(only.items));
}

function keyText(key: string): string {
  const short = shorten(key, MAX_KEY_CHARACTERS);
  return /^[\w@#$][\w@#$:.-]*$/.test(short) ? short : safeJson(short);
}
