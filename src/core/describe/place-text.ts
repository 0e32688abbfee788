import { shorten } from "../../util/safe-text.js";
import {
  commonKeys,
  type FieldType,
  keyInName,
  type Place,
  type Scalar,
} from "../profile/place.js";

export type Density = "counts" | "values" | "types" | "none";

export interface Look {
  readonly density: Density;
  readonly isSample: boolean;
  readonly isTable: boolean;
  readonly isDocument?: boolean;
  readonly levels?: number;
  readonly names?: number;
}

/** Values of one field that are shown, and of how many each is named with no need to count the others. */
const MAX_VALUES = 6;
const FEW_VALUES = 3;
const MAX_VALUE_CHARACTERS = 40;
const MAX_KEYS = 3;
const MAX_COLUMNS_CHARACTERS = 160;
const MAX_KEY_CHARACTERS = 32;
const MAX_INNER_CHARACTERS = 320;
const INNER_SIZES = [
  [4, 16],
  [2, 16],
  [1, 32],
  [1, 16],
  [1, 8],
  [1, 4],
] as const;
const LONG_CHARACTERS = 200;
/** Texts of which fewer are numbers are texts. */
const MOSTLY_NUMBERS = 0.5;
/** Digits that every number keeps which is read and written again. */
const EXACT_DIGITS = 15;
/** Texts that could be taken for something else. */
const LOOKS_OTHER = /^(?:null|undefined|true|false)$/i;
const PLAIN_VALUE = /^[\p{L}\p{N}](?:[^",;:×]*[^",;:×?\s])?$/u;

const WORDS: Readonly<Record<FieldType, string>> = {
  object: "object",
  array: "list",
  string: "text",
  number: "number",
  integer: "integer",
  boolean: "boolean",
  null: "null",
};

/** What stands at a place: `text: open ×20, closed ×3`, or several types joined by "or". */
export function typeText(place: Place, look: Look): string {
  const kinds = kindsOf(place);
  const [[only] = ["null"] as const] = kinds;
  if (kinds.length < 2) return ofType(place, only, look, true);
  const hasCounts = look.density !== "types" && !look.isSample;
  return kinds
    .map(([type, count]) => (hasCounts ? `${count}× ` : "") + ofType(place, type, look, false))
    .join(" or ");
}

function groupedText(place: Place, look: Look): string {
  const text = typeText(place, look);
  return kindsOf(place).length > 1 ? `(${text})` : text;
}

function kindsOf({ kinds }: Place): Place["kinds"] {
  return kinds.filter(([type]) => type !== "null");
}

function ofType(place: Place, type: FieldType, look: Look, isOne: boolean): string {
  switch (type) {
    case "array":
      return listText(place, look);
    case "object":
      return objectText(place, look);
    case "null":
      return "null";
    case "string":
      return stringText(place, look, isOne);
    case "boolean":
      return isOne ? `boolean${valuesText(place, look)}` : "boolean";
    default: {
      const number = place.decimals === 0 ? "integer" : "number";
      return withRange(number, place, place.numberRange, look, isOne);
    }
  }
}

function stringText(place: Place, look: Look, isOne: boolean): string {
  const { numerals, strings, empties, numbersInText, word = "", maxCharacters } = place;
  if (place.dateLike) {
    const type = place.hasTimes ? "timestamp as text" : "date as text";
    return withRange(type, place, place.stringRange, look, isOne);
  }
  if (numbersInText !== undefined) {
    const isCell = look.isTable && numbersInText !== "scientific";
    const cell = numbersInText === "integers" ? "integer" : "number";
    return withRange(isCell ? cell : "number as text", place, place.stringRange, look, isOne);
  }
  if (look.density === "types") return "text";
  if (!isOne) {
    if (isLong(word) || word === "") return "text";
    const shown = /[()]/.test(word) ? JSON.stringify(word) : valueText(word);
    return `text (e.g. ${look.isSample ? "~" : ""}${shown})`;
  }
  const filled = strings - empties;
  if (numerals >= MOSTLY_NUMBERS * filled && numerals > 0 && !look.isSample) {
    const range = place.stringRange && rangeText(place.stringRange);
    const isSame = place.stringRange?.min === place.stringRange?.max;
    const numbers = range === undefined ? "numbers" : isSame ? range : `numbers, ${range}`;
    const others = isLong(word) ? "" : `; others e.g. ${valueText(word)}`;
    return `text (${numerals} of ${filled} are ${numbers}${others})`;
  }
  const isTold = maxCharacters > LONG_CHARACTERS && !look.isSample;
  const long = isTold ? `, up to ${maxCharacters} characters` : "";
  return `text${long}${valuesText(place, look)}`;
}

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

function rangeText({ min, max }: Readonly<Record<"min" | "max", string | number>>): string {
  return min === max ? String(min) : `${min} to ${max}`;
}

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
  const hasTimes = look.density === "counts" && count > 1;
  const texts = shown.map(
    ({ value, count: times }) => `${valueText(value)}${hasTimes ? ` ×${times}` : ""}`,
  );
  const more = filled.length - shown.length;
  return `: ${texts.join(", ")}${more > 0 ? `, ${more} more` : ""}`;
}

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

function valueText(value: Scalar): string {
  if (typeof value !== "string") return String(value);
  return !LOOKS_OTHER.test(value) && PLAIN_VALUE.test(value) ? value : JSON.stringify(value);
}

function isBare({ density, isSample, isDocument }: Look): boolean {
  return isSample || (density === "types" && isDocument !== true);
}

function listText({ items, lengths = { min: 0, max: 0 } }: Place, look: Look): string {
  const length = isBare(look) ? "" : ` of ${rangeText(lengths)}`;
  if (items === undefined || items.count === 0) return `list${length}`;
  const isNested = items.objects + items.arrays > 0;
  const text = groupedText(items, isNested ? { ...look, density: "types" } : look);
  if (length === "") return `list of ${text}`;
  const isSame = lengths.min === lengths.max;
  const all = look.density === "counts" && !isSame ? ` (${items.count} in all)` : "";
  const hasNulls = items.nulls > 0 && items.nulls < items.count;
  return `list${length}${all}: ${text}${hasNulls ? `, ${items.nulls} null` : ""}`;
}

function objectText(place: Place, look: Look): string {
  const { members, columns, fields } = place;
  if (members !== undefined) return mapText(place, members, look);
  if (columns !== undefined && columns.size > 1 && look.levels === undefined && !look.isSample) {
    const names = shorten([...columns].map(keyInName).join(", "), MAX_COLUMNS_CHARACTERS);
    return `${columns.size} lists of equal length, side by side: ${names}`;
  }
  return fields.length === 0 ? "object" : fieldsText(place, look);
}

/** `map with 31 keys (a, b, c, …), each {name, size: integer}, but 2 text (x, y)`. */
function mapText(place: Place, members: Place, look: Look): string {
  const keys = commonKeys(place);
  const mark = look.isSample ? "~" : "";
  const shown = keys
    .slice(0, MAX_KEYS)
    .map((key) => mark + shorten(keyInName(key), MAX_KEY_CHARACTERS));
  const least = place.lacksKeys ? "at least " : "";
  const count = look.isSample ? "" : ` with ${least}${keys.length} keys`;
  const more = keys.length > MAX_KEYS ? ", …" : "";
  const example = look.isSample ? "e.g. " : "";
  const isNamed = look.density !== "types" || look.isDocument === true;
  const named = isNamed ? ` (${example}${shown.join(", ")}${more})` : "";
  const inner = { ...look, density: "types" } as const;
  if (look.density === "types" || look.isSample)
    return `map${count}${named}, each ${groupedText(members, inner)}`;
  const [[main] = ["null"] as const, ...odd] = members.kinds;
  const others = odd.map(([type, times]) => {
    const first = members.firstKeys.get(type) ?? [];
    const names = first.map((key) => shorten(keyInName(key), MAX_KEY_CHARACTERS)).join(", ");
    return `${times} ${WORDS[type]} (${names}${times > first.length ? ", …" : ""})`;
  });
  const but = others.length === 0 ? "" : `, but ${others.join(", ")}`;
  const each = main === "number" ? "number" : ofType(members, main, inner, true);
  return `map${count}${named}, each ${each}${but}`;
}

function fieldsText(place: Place, look: Look): string {
  if (look.levels !== undefined) return bracesText(place, look);
  let text = "";
  for (const [levels, names] of INNER_SIZES) {
    text = bracesText(place, { ...look, density: "types", isTable: false, levels, names });
    if (text.length <= MAX_INNER_CHARACTERS) break;
  }
  return shorten(text, MAX_INNER_CHARACTERS);
}

function bracesText({ fields, lacksFields }: Place, look: Look): string {
  const { levels = 0, names = 0 } = look;
  if (levels <= 0) return "{…}";
  const inner = { ...look, levels: levels - 1 };
  const named = fields.slice(0, names).map((field) => {
    const key = shorten(keyInName(field.key), MAX_KEY_CHARACTERS);
    const text = (look.isDocument && onlyValue(field)) || typeText(field, inner);
    return text === "text" ? key : `${key}: ${text}`;
  });
  const isCut = fields.length > names || lacksFields;
  return `{${[...named, ...(isCut ? ["…"] : [])].join(", ")}}`;
}

function onlyValue({ values = [], count, nulls }: Place): string | undefined {
  const [only] = count === 1 && nulls === 0 ? values : [];
  if (only === undefined || isLong(only.value)) return undefined;
  const isExact = typeof only.value !== "number" || String(only.value).length <= EXACT_DIGITS;
  return isExact ? JSON.stringify(only.value) : undefined;
}
