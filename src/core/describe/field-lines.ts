import { shorten } from "../../util/safe-text.js";
import {
  ANY_KEY,
  commonKeys,
  type FieldType,
  keyInName,
  type Place,
  type Scalar,
} from "../profile/place.js";
import type { RecordProfile } from "../profile/profile.js";

/** The fields of one set of records. */
export interface FieldSet {
  readonly profile: RecordProfile;
  /** Whether the records are rows of a table: every value is text, and SQL reads its columns as what they are. */
  readonly isTable: boolean;
  /** What lists fields that are not named; empty where nothing does in a few words. */
  readonly listing: string;
}

/** All fields of a set by name, or the one line of records that have none. */
export type FieldLines = string | Readonly<Record<string, string>>;

/** What a line has: values with how often each stands there, values alone, or types alone; or there is no line. */
type Density = "counts" | "values" | "types" | "none";

interface Line {
  readonly set: number;
  readonly name: string;
  readonly place: Place;
  /** Objects that could have the field. */
  readonly of: number;
  /** Whether the field is inside a list or a map. */
  readonly isInner: boolean;
  readonly style: Style;
  density: Density;
  text: string;
}

interface Style {
  readonly isSample: boolean;
  readonly isTable: boolean;
}

/** Values of one field that are shown, and of how many each is named with no need to count the others. */
const MAX_VALUES = 6;
const FEW_VALUES = 3;
const MAX_VALUE_CHARACTERS = 40;
/** Names of fields inside an object that are shown on its line. */
const MAX_MEMBERS = 16;
const MAX_KEYS = 3;
const MAX_KEY_CHARACTERS = 24;
const MAX_NAME_CHARACTERS = 64;
const MAX_HIDDEN_CHARACTERS = 160;
const MAX_INNER_CHARACTERS = 320;
/** Levels of objects that are shown in it. */
const LEVELS = [4, 2, 1] as const;
/** Texts that are longer are said to be. */
const LONG_CHARACTERS = 200;
/** Texts of which fewer are numbers are texts. */
const MOSTLY_NUMBERS = 0.5;
/** Texts that could be taken for something else. */
const LOOKS_OTHER = /^(?:null|none|nil|nan|undefined|true|false)$/i;
const PLAIN_VALUE = /^[\p{L}\p{N}](?:[^",;:×]*[^",;:×?\s])?$/u;

/**
 * The fields of record sets, a line each, in at most so many UTF-16 units: first the lines inside of lists and maps lose
 * counts and then go, then the others lose counts, then values and ranges, then go. What has no line is named in `…`.
 */
export function fieldLines(
  sets: readonly FieldSet[],
  maxCharacters: number,
): readonly FieldLines[] {
  const lines = sets.flatMap(({ profile, isTable }, set) => linesOf(set, profile, isTable));
  const order = lines
    .map((line, at) => ({ line, weight: weightOf(line) + at }))
    .toSorted((one, other) => other.weight - one.weight)
    .map(({ line }) => line);
  let characters = lines.reduce((sum, line) => sum + lengthOf(line), 0);
  for (const [density, isInner] of STEPS) {
    for (const line of order) {
      if (characters <= maxCharacters) break;
      if (line.isInner !== isInner) continue;
      characters -= lengthOf(line);
      line.density = density;
      line.text = density === "none" ? "" : textOfLine(line);
      characters += lengthOf(line);
    }
  }
  return sets.map(({ profile, isTable, listing }, set) => {
    const own = lines.filter((line) => line.set === set);
    if (own.length === 0) return emptyText(profile, isTable);
    const shown = own.filter(({ density }) => density !== "none");
    const entries = shown.map(({ name, text }) => [name, text] as const);
    const rest = restText(profile, own, listing);
    return Object.fromEntries(rest === "" ? entries : [...entries, ["…", rest]]);
  });
}

/** What goes first. */
const STEPS = [
  ["values", true],
  ["none", true],
  ["values", false],
  ["types", false],
  ["none", false],
] as const;

/** The sentence that says of which records a set's lines are, where not all were looked at. */
export function lookedAt({ sampledCount, recordCount }: RecordProfile): string | undefined {
  if (sampledCount === recordCount) return undefined;
  return `types, and values marked ~, are from a sample of ${sampledCount} of ${recordCount} records`;
}

function emptyText({ root, sampledCount, recordCount }: RecordProfile, isTable: boolean): string {
  const isSample = sampledCount < recordCount;
  if (sampledCount === 0 && recordCount > 0) return "not looked at, as each is so long";
  return typeText(root, "counts", { isSample, isTable });
}

function linesOf(set: number, profile: RecordProfile, isTable: boolean): Line[] {
  const { root, sampledCount, recordCount } = profile;
  const style = { isSample: sampledCount < recordCount, isTable };
  const lines: Line[] = [];
  const add = (name: string, place: Place, of: number, isInner: boolean): void => {
    const line: Line = { set, name, place, of, isInner, style, density: "counts", text: "" };
    line.text = textOfLine(line);
    lines.push(line);
  };
  /** Of a field whose objects are its only values, the fields inside say all. */
  const visit = (place: Place, name: string, of: number, isInner: boolean): void => {
    const { fields, items, members, objects, count, columns } = place;
    const isTold = fields.length > 0 && objects === count && (columns?.size ?? 0) < 2;
    if (!isTold || (isInner && count < of)) add(name, place, of, isInner);
    for (const field of fields)
      visit(field, `${name}.${keyInName(field.key)}`, isInner ? objects : of, isInner);
    if (items !== undefined && items.fields.length > 0) inside(items, `${name}[]`);
    if (members !== undefined) inside(members, `${name}.${ANY_KEY}`);
  };
  const inside = (place: Place, name: string): void => {
    for (const field of place.fields)
      visit(field, `${name}.${keyInName(field.key)}`, place.objects, true);
  };
  for (const field of root.fields) visit(field, field.name, root.count, false);
  return lines;
}

/** Of two lines the heavier one gives way first: deep ones, rare ones, later ones. */
function weightOf({ name, place, of }: Line): number {
  const depth = name.split(".").length - 1;
  return (
    (name.length > MAX_NAME_CHARACTERS ? 1_000 : 0) + depth * 50 + (place.count < of / 20 ? 400 : 0)
  );
}

function lengthOf({ name, text, density }: Line): number {
  return density === "none" ? 0 : JSON.stringify(name).length + JSON.stringify(text).length + 2;
}

/** What has no line: a line inside of a list or a map is named in that of the list. */
function restText({ lacksFields }: RecordProfile, lines: readonly Line[], listing: string): string {
  const hidden = lines.filter(({ density, isInner }) => density === "none" && !isInner);
  const end = listing === "" ? "" : `; ${listing}`;
  if (hidden.length === 0) return lacksFields ? `more fields${end}` : "";
  const names = hidden.map(({ name }) => shorten(name, MAX_NAME_CHARACTERS)).join(", ");
  const least = lacksFields ? "at least " : "";
  const isCut = names.length > MAX_HIDDEN_CHARACTERS || lacksFields;
  return `${least}${hidden.length} more fields: ${shorten(names, MAX_HIDDEN_CHARACTERS)}${isCut ? end : ""}`;
}

/** `integer 1 to 40; 12 null; absent in 3`. */
function textOfLine({ place, of, density, style }: Line): string {
  const text = typeText(place, density, style);
  const { count, nulls, empties } = place;
  const absent = of - count;
  const isOnlyNull = nulls === count;
  if (density === "types") return absent > 0 || (nulls > 0 && !isOnlyNull) ? `${text}?` : text;
  const many = (times: number): string => (style.isSample ? "some" : String(times));
  const parts = [text];
  if (nulls > 0 && !isOnlyNull) parts.push(`${many(nulls)} null`);
  if (empties > 0 && empties < count) parts.push(`${many(empties)} empty`);
  if (absent > 0) {
    const isRare = 2 * absent > of;
    if (style.isSample) parts.push("absent in some");
    else parts.push(isRare ? `only in ${count}` : `absent in ${absent}`);
  }
  return parts.join("; ");
}

/** What stands at a place: `text: open ×20, closed ×3`, or several types joined by "or". */
function typeText(place: Place, density: Density, style: Style): string {
  const shown = place.kinds.filter(([type]) => type !== "null");
  const isOne = shown.length < 2;
  if (isOne) return ofType(place, shown[0]?.[0] ?? "null", density, style, isOne);
  return shown
    .map(([type, count]) => {
      const times = density === "types" || style.isSample ? "" : `${count}× `;
      return times + ofType(place, type, density, style, isOne);
    })
    .join(" or ");
}

function ofType(
  place: Place,
  type: FieldType,
  density: Density,
  style: Style,
  isOne: boolean,
): string {
  if (type === "array") return listText(place, density, style);
  if (type === "object") return objectText(place, density, style);
  if (type === "null") return "null";
  if (type === "string") return stringText(place, density, style, isOne);
  if (type === "boolean") return isOne ? `boolean${valuesText(place, density, style)}` : "boolean";
  const number = place.decimals === 0 ? "integer" : "number";
  return withRange(number, place, place.numberRange, density, style, isOne);
}

function stringText(place: Place, density: Density, style: Style, isOne: boolean): string {
  const { numerals, strings, empties, numbersInText, word = "", maxCharacters } = place;
  if (place.dateLike) {
    const type = place.hasTimes ? "timestamp text" : "date text";
    return withRange(type, place, place.stringRange, density, style, isOne);
  }
  if (numbersInText !== undefined) {
    const isCell = style.isTable && numbersInText !== "scientific";
    const type = isCell ? (numbersInText === "integers" ? "integer" : "number") : "number as text";
    return withRange(type, place, place.stringRange, density, style, isOne);
  }
  if (density === "types") return "text";
  const filled = strings - empties;
  if (numerals >= MOSTLY_NUMBERS * filled && numerals > 0 && !style.isSample) {
    const range = place.stringRange === undefined ? "" : ` (${rangeText(place.stringRange)})`;
    const other = word.length > MAX_VALUE_CHARACTERS ? "" : `, others such as ${valueText(word)}`;
    return `text, ${numerals} of ${filled} are numbers${range}${other}`;
  }
  if (!isOne) {
    if (isLong(word) || word === "") return "text";
    const shown = /[()]/.test(word) ? JSON.stringify(word) : valueText(word);
    return `text (e.g. ${style.isSample ? "~" : ""}${shown})`;
  }
  const long =
    maxCharacters > LONG_CHARACTERS && !style.isSample ? `, up to ${maxCharacters} characters` : "";
  return `text${long}${valuesText(place, density, style)}`;
}

/** A type with its few values, or with the lowest and the highest one. */
function withRange(
  type: string,
  place: Place,
  range: Place["numberRange"],
  density: Density,
  style: Style,
  isOne: boolean,
): string {
  if (density === "types") return type;
  const { values = [] } = place;
  if (style.isSample) return isOne ? type + exampleText(place) : type;
  const isFew = isOne && values.length <= MAX_VALUES && 2 * values.length <= place.count;
  if (isFew && values.length > 0) return type + valuesText(place, density, style);
  const unique = isOne && place.unique && !type.startsWith("number") ? ", unique" : "";
  return `${type}${range === undefined ? "" : ` ${rangeText(range)}`}${unique}`;
}

function rangeText({ min, max }: NonNullable<Place["numberRange"]>): string {
  return min === max ? min : `${min} to ${max}`;
}

/** How often each of a few values stands there, or how many differ and one of them. */
function valuesText(place: Place, density: Density, style: Style): string {
  if (density === "types") return "";
  if (style.isSample) return exampleText(place);
  const { values, unique, count, nulls, empties } = place;
  const filled = values?.filter(({ value }) => value !== "");
  const [first] = filled ?? place.commonValues.filter(({ value }) => value !== "");
  const example =
    first === undefined || isLong(first.value) ? "" : `, e.g. ${valueText(first.value)}`;
  if (unique) return `, unique${example}`;
  if (filled === undefined) return example;
  if (filled.length === 0) return "";
  const shown = filled.slice(0, density === "counts" ? MAX_VALUES : FEW_VALUES);
  const told = shown.reduce((sum, { count: times }) => sum + times, 0);
  const isTelling = filled.length <= MAX_VALUES || 2 * told >= count - nulls - empties;
  if (!isTelling || shown.some(({ value }) => isLong(value)))
    return `, ${filled.length} different${example}`;
  const texts = shown.map(({ value, count: times }) =>
    density === "counts" ? `${valueText(value)} ×${times}` : valueText(value),
  );
  const more = filled.length - shown.length;
  return `: ${texts.join(", ")}${more > 0 ? `, ${more} more` : ""}`;
}

/** Values of a sample, each with its mark. */
function exampleText(place: Place): string {
  const { values, unique } = place;
  const isFew = values !== undefined && values.length <= 2 * MAX_VALUES;
  const shown = (isFew ? values : place.commonValues)
    .filter(({ value }) => value !== "" && !isLong(value))
    .slice(0, unique ? 1 : isFew ? MAX_VALUES : FEW_VALUES)
    .map(({ value }) => `~${valueText(value)}`);
  return shown.length === 0 ? "" : `, e.g. ${shown.join(", ")}`;
}

function isLong(value: Scalar): boolean {
  return String(value).length > MAX_VALUE_CHARACTERS;
}

/** A value as it stands in a list of them: in quotes where it could be taken for something else. */
function valueText(value: Scalar): string {
  if (typeof value !== "string") return String(value);
  return !LOOKS_OTHER.test(value) && PLAIN_VALUE.test(value) ? value : JSON.stringify(value);
}

function listText({ items, lengths }: Place, density: Density, style: Style): string {
  const { min, max } = lengths ?? { min: 0, max: 0 };
  const isBare = density === "types" || style.isSample;
  const length = isBare ? "" : ` of ${min === max ? max : `${min} to ${max}`}`;
  if (items === undefined || items.count === 0) return `list${length}`;
  const all = density === "counts" && min !== max && !isBare ? ` (${items.count} in all)` : "";
  const nulls =
    items.nulls > 0 && items.nulls < items.count && !isBare ? `, ${items.nulls} null` : "";
  const isScalar = items.objects + items.arrays === 0;
  const text = isScalar ? typeText(items, density, style) : innerText(items);
  const inner = text.includes(" or ") && !text.startsWith("{") ? `(${text})` : text;
  return `list${length === "" ? " of" : `${length}${all}:`} ${inner}${nulls}`;
}

function objectText(place: Place, density: Density, style: Style): string {
  const { members, columns, fields } = place;
  if (members !== undefined) return mapText(place, members, density, style);
  if (columns !== undefined && columns.size > 1 && !style.isSample) {
    const names = shorten([...columns].map(keyInName).join(", "), MAX_HIDDEN_CHARACTERS);
    return `${columns.size} lists of equal length, side by side: ${names}`;
  }
  return fields.length === 0 ? "object" : innerText(place);
}

/** `map with 31 keys (a, b, c, …), each {name, size: integer}; 2 text (x, y)`. */
function mapText(place: Place, members: Place, density: Density, style: Style): string {
  const keys = commonKeys(place);
  const shown = keys.slice(0, MAX_KEYS).map((key) => shorten(key, MAX_KEY_CHARACTERS));
  const more = keys.length > MAX_KEYS ? ", …" : "";
  const isBare = density === "types" || style.isSample;
  const least = place.lacksKeys ? "at least " : "";
  const count = style.isSample ? "" : ` with ${least}${keys.length} keys`;
  const mark = style.isSample ? "e.g. ~" : "";
  const named =
    density === "types" ? "" : ` (${mark}${shown.join(style.isSample ? ", ~" : ", ")}${more})`;
  const [main, ...odd] = members.kinds;
  const others = odd.map(([type, times]) => {
    const first = (members.firstKeys.get(type) ?? []).map((key) =>
      shorten(key, MAX_KEY_CHARACTERS),
    );
    const rest = times > first.length ? ", …" : "";
    return isBare ? WORDS[type] : `${times} ${WORDS[type]} (${first.join(", ")}${rest})`;
  });
  const each =
    main?.[0] === "object"
      ? innerText(members, false)
      : main === undefined
        ? "null"
        : WORDS[main[0]];
  const oddText =
    others.length === 0 ? "" : isBare ? ` or ${others.join(" or ")}` : `, but ${others.join(", ")}`;
  return `map${count}${named}, each ${each}${oddText}`;
}

const WORDS: Readonly<Record<FieldType, string>> = {
  object: "object",
  array: "list",
  string: "text",
  number: "number",
  integer: "integer",
  boolean: "boolean",
  null: "null",
};

/** What is inside a list or a map, on one line: `{name, size: integer}`; of a long one fewer levels are shown. */
function innerText(place: Place, hasOthers = true): string {
  const texts = LEVELS.map((levels) => inner(place, levels, hasOthers));
  return (
    texts.find(({ length }) => length <= MAX_INNER_CHARACTERS) ??
    shorten(texts.at(-1) ?? "", MAX_INNER_CHARACTERS)
  );
}

function inner(place: Place, levels: number, hasOthers: boolean): string {
  const { fields, types, members, lacksFields } = place;
  const style = { isSample: false, isTable: false };
  if (!types.includes("object") || (fields.length === 0 && members === undefined))
    return typeText(place, "types", style);
  const named = fields.slice(0, MAX_MEMBERS).map((field) => {
    const key = shorten(keyInName(field.key), MAX_KEY_CHARACTERS);
    const text = inner(field, levels - 1, true);
    return text === "text" ? key : `${key}: ${text}`;
  });
  const isCut = fields.length > MAX_MEMBERS || lacksFields;
  const inside =
    members === undefined
      ? [...named, ...(isCut ? ["…"] : [])].join(", ")
      : `${ANY_KEY}: ${inner(members, levels - 1, true)}`;
  const others = types.filter((type) => type !== "object" && type !== "null");
  return [
    `{${levels > 0 ? inside : "…"}}`,
    ...(hasOthers ? others.map((type) => WORDS[type]) : []),
  ].join(" or ");
}
