import { shorten } from "../../util/safe-text.js";
import {
  ANY_KEY,
  commonKeys,
  type FieldType,
  keyInName,
  type Place,
  type Scalar,
} from "../profile/place.js";

/** What a line has: values with how often each stands there, values alone, or types alone; or there is no line. */
export type Density = "counts" | "values" | "types" | "none";

/** How a place is told. */
export interface Look {
  readonly density: Density;
  readonly isSample: boolean;
  readonly isTable: boolean;
}

/** Values of one field that are shown, and of how many each is named with no need to count the others. */
const MAX_VALUES = 6;
const FEW_VALUES = 3;
const MAX_VALUE_CHARACTERS = 40;
const MAX_KEYS = 3;
const MAX_COLUMNS_CHARACTERS = 160;
const MAX_KEY_CHARACTERS = 24;
const MAX_INNER_CHARACTERS = 320;
/** Levels of objects that are shown in it, and names of fields in each. */
const INNER_SIZES = [
  [4, 16],
  [2, 16],
  [1, 16],
  [1, 8],
  [1, 4],
] as const;
/** Texts that are longer are said to be. */
const LONG_CHARACTERS = 200;
/** Texts of which fewer are numbers are texts. */
const MOSTLY_NUMBERS = 0.5;
/** Texts that could be taken for something else. */
const LOOKS_OTHER = /^(?:null|undefined|true|false)$/i;
const PLAIN_VALUE = /^[\p{L}\p{N}](?:[^",;:×]*[^",;:×?\s])?$/u;

/** What stands at a place: `text: open ×20, closed ×3`, or several types joined by "or". */
export function typeText(place: Place, look: Look): string {
  const shown = place.kinds.filter(([type]) => type !== "null");
  const isOne = shown.length < 2;
  if (isOne) return ofType(place, shown[0]?.[0] ?? "null", look, isOne);
  return shown
    .map(([type, count]) => {
      const times = look.density === "types" || look.isSample ? "" : `${count}× `;
      return times + ofType(place, type, look, isOne);
    })
    .join(" or ");
}

function ofType(place: Place, type: FieldType, look: Look, isOne: boolean): string {
  if (type === "array") return listText(place, look);
  if (type === "object") return objectText(place, look);
  if (type === "null") return "null";
  if (type === "string") return stringText(place, look, isOne);
  if (type === "boolean") return isOne ? `boolean${valuesText(place, look)}` : "boolean";
  const number = place.decimals === 0 ? "integer" : "number";
  return withRange(number, place, place.numberRange, look, isOne);
}

function stringText(place: Place, look: Look, isOne: boolean): string {
  const { numerals, strings, empties, numbersInText, word = "", maxCharacters } = place;
  if (place.dateLike) {
    const type = place.hasTimes ? "timestamp as text" : "date as text";
    return withRange(type, place, place.stringRange, look, isOne);
  }
  if (numbersInText !== undefined) {
    const isCell = look.isTable && numbersInText !== "scientific";
    const type = isCell ? (numbersInText === "integers" ? "integer" : "number") : "number as text";
    return withRange(type, place, place.stringRange, look, isOne);
  }
  if (look.density === "types") return "text";
  const filled = strings - empties;
  if (numerals >= MOSTLY_NUMBERS * filled && numerals > 0 && !look.isSample) {
    const { min, max } = place.stringRange ?? { min: "", max: "" };
    const range = min === "" ? "" : ` from ${min} to ${max}`;
    const numbers = min !== "" && min === max ? `the number ${min}` : `numbers${range}`;
    const other =
      word.length > MAX_VALUE_CHARACTERS ? "" : `, others are text such as ${valueText(word)}`;
    return `text, ${numerals} of ${filled} are ${numbers}${other}`;
  }
  if (!isOne) {
    if (isLong(word) || word === "") return "text";
    const shown = /[()]/.test(word) ? JSON.stringify(word) : valueText(word);
    return `text (e.g. ${look.isSample ? "~" : ""}${shown})`;
  }
  const long =
    maxCharacters > LONG_CHARACTERS && !look.isSample ? `, up to ${maxCharacters} characters` : "";
  return `text${long}${valuesText(place, look)}`;
}

/** A type with its few values, or with the lowest and the highest one. */
function withRange(
  type: string,
  place: Place,
  range: Place["numberRange"],
  look: Look,
  isOne: boolean,
): string {
  if (look.density === "types") return type;
  const { values = [] } = place;
  if (look.isSample) return isOne ? type + exampleText(place) : type;
  const isFew = isOne && values.length <= MAX_VALUES && 2 * values.length <= place.count;
  if (isFew && values.length > 0) return type + valuesText(place, look);
  const unique = isOne && place.unique && !type.startsWith("number") ? ", unique" : "";
  return `${type}${range === undefined ? "" : ` ${rangeText(range)}`}${unique}`;
}

function rangeText({ min, max }: NonNullable<Place["numberRange"]>): string {
  return min === max ? min : `${min} to ${max}`;
}

/** How often each of a few values stands there, or how many differ and one of them. */
function valuesText(place: Place, look: Look): string {
  if (look.density === "types") return "";
  if (look.isSample) return exampleText(place);
  const { values, unique, count, nulls, empties } = place;
  const filled = values?.filter(({ value }) => value !== "");
  const [first] = filled ?? place.commonValues.filter(({ value }) => value !== "");
  const example =
    first === undefined || isLong(first.value) ? "" : `, e.g. ${valueText(first.value)}`;
  if (unique) return `, unique${example}`;
  if (filled === undefined) return example;
  if (filled.length === 0) return "";
  const shown = filled.slice(0, look.density === "counts" ? MAX_VALUES : FEW_VALUES);
  const told = shown.reduce((sum, { count: times }) => sum + times, 0);
  const isTelling = filled.length <= MAX_VALUES || 2 * told >= count - nulls - empties;
  if (!isTelling || shown.some(({ value }) => isLong(value)))
    return `, ${filled.length} different${example}`;
  const texts = shown.map(({ value, count: times }) =>
    look.density === "counts" ? `${valueText(value)} ×${times}` : valueText(value),
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

function listText({ items, lengths }: Place, look: Look): string {
  const { min, max } = lengths ?? { min: 0, max: 0 };
  const isBare = look.density === "types" || look.isSample;
  const length = isBare ? "" : ` of ${min === max ? max : `${min} to ${max}`}`;
  if (items === undefined || items.count === 0) return `list${length}`;
  const all = look.density === "counts" && min !== max && !isBare ? ` (${items.count} in all)` : "";
  const nulls =
    items.nulls > 0 && items.nulls < items.count && !isBare ? `, ${items.nulls} null` : "";
  const isScalar = items.objects + items.arrays === 0;
  const text = isScalar ? typeText(items, look) : innerText(items);
  const inner = text.includes(" or ") && !text.startsWith("{") ? `(${text})` : text;
  return `list${length === "" ? " of" : `${length}${all}:`} ${inner}${nulls}`;
}

function objectText(place: Place, look: Look): string {
  const { members, columns, fields } = place;
  if (members !== undefined) return mapText(place, members, look);
  if (columns !== undefined && columns.size > 1 && !look.isSample) {
    const names = shorten([...columns].map(keyInName).join(", "), MAX_COLUMNS_CHARACTERS);
    return `${columns.size} lists of equal length, side by side: ${names}`;
  }
  return fields.length === 0 ? "object" : innerText(place);
}

/** `map with 31 keys (a, b, c, …), each {name, size: integer}; 2 text (x, y)`. */
function mapText(place: Place, members: Place, look: Look): string {
  const keys = commonKeys(place);
  const shown = keys.slice(0, MAX_KEYS).map((key) => shorten(key, MAX_KEY_CHARACTERS));
  const more = keys.length > MAX_KEYS ? ", …" : "";
  const isBare = look.density === "types" || look.isSample;
  const least = place.lacksKeys ? "at least " : "";
  const count = look.isSample ? "" : ` with ${least}${keys.length} keys`;
  const mark = look.isSample ? "e.g. ~" : "";
  const named =
    look.density === "types" ? "" : ` (${mark}${shown.join(look.isSample ? ", ~" : ", ")}${more})`;
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

/** What types are called. */
export const WORDS: Readonly<Record<FieldType, string>> = {
  object: "object",
  array: "list",
  string: "text",
  number: "number",
  integer: "integer",
  boolean: "boolean",
  null: "null",
};

/** What is inside a list or a map, on one line: `{name, size: integer}`; of a long one fewer levels and names are shown. */
function innerText(place: Place, hasOthers = true): string {
  const known = hasOthers ? TEXTS : TEXTS_ALONE;
  let text = known.get(place);
  if (text !== undefined) return text;
  for (const [levels, names] of INNER_SIZES) {
    text = inner(place, levels, names, hasOthers);
    if (text.length <= MAX_INNER_CHARACTERS) break;
  }
  text = shorten(text ?? "", MAX_INNER_CHARACTERS);
  known.set(place, text);
  return text;
}

/** Made once for each place: lists in lists would be told five times at each level. */
const TEXTS = new WeakMap<Place, string>();
const TEXTS_ALONE = new WeakMap<Place, string>();

const BARE: Look = { density: "types", isSample: false, isTable: false };

function inner(place: Place, levels: number, names: number, hasOthers: boolean): string {
  const { fields, types, members, lacksFields } = place;
  if (!types.includes("object") || (fields.length === 0 && members === undefined))
    return typeText(place, BARE);
  const others = types.filter((type) => type !== "object" && type !== "null");
  const beside = hasOthers ? others.map((type) => ` or ${WORDS[type]}`).join("") : "";
  if (levels <= 0) return `{…}${beside}`;
  const named = fields.slice(0, names).map((field) => {
    const key = shorten(keyInName(field.key), MAX_KEY_CHARACTERS);
    const text = inner(field, levels - 1, names, true);
    return text === "text" ? key : `${key}: ${text}`;
  });
  const isCut = fields.length > names || lacksFields;
  const inside =
    members === undefined
      ? [...named, ...(isCut ? ["…"] : [])].join(", ")
      : `${ANY_KEY}: ${inner(members, levels - 1, names, true)}`;
  return `{${inside}}${beside}`;
}
