import { shorten } from "../../util/safe-text.js";
import {
  commonKeys,
  type FieldType,
  keyInName,
  type Place,
  type Range,
  type Scalar,
} from "../profile/place.js";

export type Density = "counts" | "values" | "types" | "none";

export interface Look {
  readonly density: Density;
  readonly isSample: boolean;
  readonly isTable: boolean;
  readonly isDocument?: boolean;
  /** One of several types. */
  readonly isMixed?: boolean;
  /** Inside of a list, a map or braces, where nothing else tells how many are empty. */
  readonly isInside?: boolean;
  /** Inside of braces: how many more levels of them there may be. */
  readonly levels?: number;
}

const MAX_VALUES = 6;
const FEW_VALUES = 3;
const MAX_VALUE_CHARACTERS = 40;
const MAX_KEYS = 3;
const MAX_KEY_CHARACTERS = 32;
const MAX_INNER_CHARACTERS = 320;
/** Of braces, the most first. */
const INNER_LEVELS = [4, 2, 1];
const MAX_NAMES = 16;
const LONG_CHARACTERS = 200;
const DAY_CHARACTERS = 10;
const EXACT_DIGITS = 15;
const LOOKS_OTHER = /^(?:null|undefined|true|false)$/i;
const PLAIN_VALUE = /^[\p{L}\p{N}](?:[^",;:×()]*[^",;:×()?\s])?$/u;

/** `text: open ×20, closed ×3`, or several types joined by "or". */
export function typeText(place: Place, look: Look): string {
  const kinds = kindsOf(place);
  const [first] = kinds;
  if (kinds.length < 2) return ofType(place, first?.[0] ?? "null", look);
  const hasCounts = look.density !== "types" && !look.isSample;
  const texts = kinds.map(([type, count]) => {
    const isNested = type === "array" || type === "object";
    const density = isNested ? "types" : look.density;
    return `${hasCounts ? `${count}× ` : ""}${ofType(place, type, { ...look, density, isMixed: true })}`;
  });
  return texts.join(" or ");
}

function groupedText(place: Place, look: Look): string {
  const text = typeText(place, look);
  return kindsOf(place).length > 1 ? `(${text})` : text;
}

export function kindsOf({ kinds }: Place): Place["kinds"] {
  return kinds.filter(([type]) => type !== "null");
}

function ofType(place: Place, type: FieldType, look: Look): string {
  switch (type) {
    case "array":
      return listText(place, look);
    case "object":
      return objectText(place, look);
    case "string":
      return stringText(place, look);
    case "number":
      return `${place.decimals === 0 ? "integer" : "number"}${factsText(place, look, place.numberRange)}`;
    case "boolean":
      return `boolean${factsText(place, look)}`;
    default:
      return type;
  }
}

function stringText(place: Place, look: Look): string {
  const { dateLike, numbersInText, empties, maxCharacters, word = "" } = place;
  if ((dateLike || numbersInText) && (empties === 0 || !look.isInside)) {
    const { min = "" } = place.stringRange ?? {};
    const date = min.length > DAY_CHARACTERS ? "text (timestamps)" : "text (dates)";
    const number = place.hasFractions ? "number" : "integer";
    const type = dateLike ? date : look.isTable ? number : "text (numbers)";
    return type + factsText(place, look, place.stringRange);
  }
  if (look.density === "types") return "text";
  if (look.isMixed) return isLong(word) || word === "" ? "text" : `text (e.g. ${valueText(word)})`;
  const isTold = maxCharacters > LONG_CHARACTERS && !look.isSample;
  return `text${isTold ? `, up to ${maxCharacters} characters` : ""}${factsText(place, look)}`;
}

function factsText(
  { unique, count, values, commonValues }: Place,
  { density, isSample, isMixed }: Look,
  range?: Range,
): string {
  if (density === "types" || (isMixed && isSample)) return "";
  const span = range === undefined ? "" : ` ${rangeText(range)}`;
  if (isMixed) return span;
  const filled = commonValues.filter(({ value }) => value !== "");
  const short = filled.filter(({ value }) => !isLong(value));
  const isFew =
    values !== undefined && filled.length === short.length && filled.length <= MAX_VALUES;
  const most = isFew ? MAX_VALUES : FEW_VALUES;
  const examples = short.slice(0, isSample && !unique ? most : 1);
  const named = examples.map(({ value }) => valueText(value)).join(", ");
  const example = named && `, e.g. ${named}`;
  if (isSample) return example;
  if (unique) return `${span}, unique${span === "" ? example : ""}`;
  if (isFew && short.length > 0 && (span === "" || 2 * short.length <= count)) {
    const texts = short.map(
      ({ value, count: times }) => valueText(value) + (density === "counts" ? ` ×${times}` : ""),
    );
    return `: ${texts.join(", ")}`;
  }
  const hasCount = values !== undefined && filled.length > 0;
  return span || `${hasCount ? `, ${filled.length} distinct` : ""}${example}`;
}

function rangeText({ min, max }: Readonly<Record<"min" | "max", string | number>>): string {
  return min === max ? String(min) : `${min} to ${max}`;
}

function isLong(value: Scalar): boolean {
  return String(value).length > MAX_VALUE_CHARACTERS;
}

function valueText(value: Scalar): string {
  if (typeof value !== "string") return String(value);
  return !LOOKS_OTHER.test(value) && PLAIN_VALUE.test(value) ? value : JSON.stringify(value);
}

/** Without lengths of lists and keys of maps. */
function isBare({ density, isSample, isDocument }: Look): boolean {
  return isSample || (density === "types" && !isDocument);
}

function listText({ items, lengths = { min: 0, max: 0 } }: Place, look: Look): string {
  const length = isBare(look) ? "" : ` of ${rangeText(lengths)}`;
  if (items === undefined || items.count === 0) return `list${length}`;
  const isNested = items.objects + items.arrays > 0;
  const density = isNested ? "types" : look.density;
  const text = groupedText(items, { ...look, density, isInside: true });
  if (length === "") return `list of ${text}`;
  const hasNulls = items.nulls > 0 && items.nulls < items.count;
  const nulls = hasNulls ? `, ${items.nulls} null` : "";
  const empties = items.empties > 0 ? `, ${items.empties} empty` : "";
  return `list${length}: ${text}${nulls}${empties}`;
}

function objectText(place: Place, look: Look): string {
  const { members, columns = [], fields } = place;
  if (members !== undefined) return mapText(place, members, look);
  const isTold = look.levels === undefined && !look.isDocument && !look.isSample;
  if (columns.length > 0 && isTold)
    return shorten(
      `${columns.length} lists of equal length: ${columns.map(keyInName).join(", ")}`,
      MAX_INNER_CHARACTERS,
    );
  return fields.length === 0 ? "object" : fieldsText(place, look);
}

/** `map with 31 keys (a, b, c, …), apart from 1 text (b), each {name, size: integer}`. */
function mapText(place: Place, members: Place, look: Look): string {
  const keys = commonKeys(place);
  const least = place.lacksKeys ? "at least " : "";
  const named = keysText(keys);
  const inner = { ...look, density: "types", isInside: true } as const;
  if (isBare(look)) return `map, each ${groupedText(members, inner)}`;
  const [[main] = ["null"] as const, ...odd] = members.kinds;
  const others = odd.map(([type, times]) => {
    const word = type === "array" ? "list" : type === "string" ? "text" : type;
    return `${times} ${word} (${keysText(members.keysByType?.get(type) ?? [])})`;
  });
  const but = others.length === 0 ? "" : `, apart from ${others.join(", ")}`;
  return `map with ${least}${keys.length} keys (${named})${but}, each ${ofType(members, main, inner)}`;
}

function keysText(keys: readonly string[]): string {
  const shown = keys.slice(0, MAX_KEYS).map((key) => shorten(keyInName(key), MAX_KEY_CHARACTERS));
  return [...shown, ...(keys.length > shown.length ? ["…"] : [])].join(", ");
}

function fieldsText(place: Place, look: Look): string {
  if (look.levels !== undefined) return bracesText(place, look);
  let text = "";
  for (const levels of INNER_LEVELS) {
    text = bracesText(place, { ...look, density: "types", levels });
    if (text.length <= MAX_INNER_CHARACTERS) return text;
  }
  return `${text.slice(0, text.lastIndexOf(", ", MAX_INNER_CHARACTERS - 4))}, …}`;
}

function bracesText({ fields, lacksFields, objects }: Place, look: Look): string {
  const { levels = 0 } = look;
  if (levels === 0) return "{…}";
  const inner = { ...look, levels: levels - 1, isInside: true };
  const named = fields.slice(0, MAX_NAMES).map((field) => {
    const nulls = field.nulls < field.count ? field.nulls : 0;
    const mark = field.count - nulls < objects ? "?" : "";
    const key = shorten(keyInName(field.key), MAX_KEY_CHARACTERS) + mark;
    const text = (look.isDocument && onlyValue(field)) || typeText(field, inner);
    return text === "text" ? key : `${key}: ${text}`;
  });
  const isCut = fields.length > MAX_NAMES || lacksFields;
  return `{${[...named, ...(isCut ? ["…"] : [])].join(", ")}}`;
}

function onlyValue({ values = [], count, nulls }: Place): string | undefined {
  const [only] = count === 1 && nulls === 0 ? values : [];
  if (only === undefined || isLong(only.value)) return undefined;
  const isExact = typeof only.value !== "number" || String(only.value).length <= EXACT_DIGITS;
  return isExact ? JSON.stringify(only.value) : undefined;
}
