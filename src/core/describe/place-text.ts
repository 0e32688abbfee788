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
  readonly isMixed?: boolean;
  readonly levels?: number;
  readonly names?: number;
}

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
const EXACT_DIGITS = 15;
const LOOKS_OTHER = /^(?:null|undefined|true|false)$/i;
const PLAIN_VALUE = /^[\p{L}\p{N}](?:[^",;:×()]*[^",;:×()?\s])?$/u;

const WORDS: Readonly<Partial<Record<FieldType, string>>> = { array: "list", string: "text" };

/** `text: open ×20, closed ×3`, or several types joined by "or". */
export function typeText(place: Place, look: Look): string {
  const kinds = kindsOf(place);
  const [[only] = ["null"] as const] = kinds;
  if (kinds.length < 2) return ofType(place, only, look);
  const hasCounts = look.density !== "types" && !look.isSample;
  // Text after a list would read as part of its items.
  const listsLast = kinds.toSorted(
    ([one], [other]) => Number(one === "array") - Number(other === "array"),
  );
  const texts = listsLast.map(([type, count]) => {
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
  const { numbersInText, numerals, hasFractions, word = "", maxCharacters } = place;
  if (place.dateLike || numbersInText) {
    const number = hasFractions ? "number" : "integer";
    const times = place.hasDays ? "text (dates and timestamps)" : "text (timestamps)";
    const date = place.hasTimes ? times : "text (dates)";
    const type = numbersInText ? (look.isTable ? number : "text (numbers)") : date;
    const orEmpty = place.empties > 0 && look.levels !== undefined ? " or empty" : "";
    return type + factsText(place, look, place.stringRange) + orEmpty;
  }
  if (look.density === "types") return "text";
  const example = isLong(word) || word === "" ? "" : `e.g. ${valueText(word)}`;
  if (look.isMixed) return example === "" ? "text" : `text (${example})`;
  const filled = place.strings - place.empties;
  if (numerals < filled && 2 * numerals >= filled && !look.isSample)
    return `text (${numerals} of ${filled} are numbers${example && `; others ${example}`})`;
  const isTold = maxCharacters > LONG_CHARACTERS && !look.isSample;
  return `text${isTold ? `, up to ${maxCharacters} characters` : ""}${factsText(place, look)}`;
}

function factsText(place: Place, look: Look, range?: Range): string {
  const { density, isSample, isMixed } = look;
  const { unique, count, nulls, empties, values, commonValues } = place;
  const span = range === undefined ? "" : ` ${rangeText(range)}`;
  if (density === "types") return "";
  if (isMixed) return isSample ? "" : span;
  const different = values?.filter(({ value }) => value !== "");
  const exampleText = (most: number): string => {
    const shown: string[] = [];
    for (const { value } of different ?? commonValues) {
      if (shown.length === most) break;
      if (value !== "" && !isLong(value)) shown.push(valueText(value));
    }
    return shown.length === 0 ? "" : `, e.g. ${shown.join(", ")}`;
  };
  if (isSample) {
    const isFew = different !== undefined && different.length <= 2 * MAX_VALUES;
    return exampleText(unique ? 1 : isFew ? MAX_VALUES : FEW_VALUES);
  }
  if (unique) return `${span}, unique${span === "" ? exampleText(1) : ""}`;
  const shown = (different ?? []).slice(0, density === "counts" ? MAX_VALUES : FEW_VALUES);
  const told = shown.reduce((sum, { count: times }) => sum + times, 0);
  const more = (different?.length ?? 0) - shown.length;
  const isFew = shown.length + more <= MAX_VALUES;
  const isTelling =
    span === "" ? isFew || 2 * told >= count - nulls - empties : isFew && 2 * shown.length <= count;
  if (shown.length > 0 && isTelling && !shown.some(({ value }) => isLong(value))) {
    const hasTimes = density === "counts" && count > 1;
    const texts = shown.map(
      ({ value, count: times }) => `${valueText(value)}${hasTimes ? ` ×${times}` : ""}`,
    );
    return `: ${texts.join(", ")}${more > 0 ? `, ${more} more` : ""}`;
  }
  return span || `${different?.length ? `, ${different.length} distinct` : ""}${exampleText(1)}`;
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
  const all = look.density === "counts" && !isSame ? ` (${items.count} in total)` : "";
  const hasNulls = items.nulls > 0 && items.nulls < items.count;
  // A second colon would read oddly.
  const colon = /^\w+: /.test(text) ? "," : ":";
  const nulls = hasNulls ? `, ${items.nulls} null` : "";
  const empties = items.empties > 0 ? `, ${items.empties} empty` : "";
  return `list${length}${all}${colon} ${text}${nulls}${empties}`;
}

function objectText(place: Place, look: Look): string {
  const { members, columns, fields, lacksFields, objects } = place;
  if (members !== undefined) return mapText(place, members, look);
  if (columns !== undefined && columns.size > 1 && look.levels === undefined) {
    const names = shorten([...columns].map(keyInName).join(", "), MAX_COLUMNS_CHARACTERS);
    const others = fields.filter(({ key }) => !columns.has(key));
    // Elsewhere they have lines of their own.
    const beside =
      look.isDocument && others.length > 0
        ? `${fieldsText({ fields: others, lacksFields, objects }, look)} and `
        : "";
    return `${beside}${columns.size} lists of equal length, side by side: ${names}`;
  }
  return fields.length === 0 ? "object" : fieldsText(place, look);
}

/** `map with 31 keys (a, b, c, …), apart from 2 text (x, y), each {name, size: integer}`. */
function mapText(place: Place, members: Place, look: Look): string {
  const { density, isSample, isDocument } = look;
  const keys = commonKeys(place);
  const count = isSample ? "" : ` with ${place.lacksKeys ? "at least " : ""}${keys.length} keys`;
  const isNamed = density !== "types" || isDocument === true;
  const named = isNamed ? ` (${keysText(keys, keys.length > MAX_KEYS || isSample)})` : "";
  const map = `map${count}${named}`;
  const inner = { ...look, density: "types" } as const;
  if (density === "types" || isSample) return `${map}, each ${groupedText(members, inner)}`;
  const [[main] = ["null"] as const, ...odd] = members.kinds;
  const others = odd.map(([type, times]) => {
    const first = members.firstKeys.get(type) ?? [];
    return `${times} ${WORDS[type] ?? type} (${keysText(first, times > first.length)})`;
  });
  const but = others.length === 0 ? "" : `, apart from ${others.join(", ")}`;
  return `${map}${but}, each ${ofType(members, main, inner)}`;
}

function keysText(keys: readonly string[], isPart: boolean): string {
  const shown = keys.slice(0, MAX_KEYS).map((key) => shorten(keyInName(key), MAX_KEY_CHARACTERS));
  return [...shown, ...(isPart ? ["…"] : [])].join(", ");
}

function fieldsText(place: PlaceFields, look: Look): string {
  if (look.levels !== undefined) return bracesText(place, look);
  let text = "";
  for (const [levels, names] of INNER_SIZES) {
    text = bracesText(place, { ...look, density: "types", isTable: false, levels, names });
    if (text.length <= MAX_INNER_CHARACTERS) break;
  }
  return shorten(text, MAX_INNER_CHARACTERS);
}

type PlaceFields = Pick<Place, "fields" | "lacksFields" | "objects">;

function bracesText({ fields, lacksFields, objects }: PlaceFields, look: Look): string {
  const { levels = 0, names = 0 } = look;
  if (levels <= 0) return "{…}";
  const inner = { ...look, levels: levels - 1 };
  const named = fields.slice(0, names).map((field) => {
    const nulls = field.nulls < field.count ? field.nulls : 0;
    const mark = field.count - nulls < objects ? "?" : "";
    const key = shorten(keyInName(field.key), MAX_KEY_CHARACTERS) + mark;
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
