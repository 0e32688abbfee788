import type { FieldType } from "../profile/field-tally.js";
import type { ValueRange } from "../profile/range-tally.js";
import type { MapShape, ShapeNode } from "../profile/shape.js";
import type { ValueCount } from "../profile/value-tally.js";
import { shorten } from "../../util/safe-text.js";

/**
 * What stands beside a type, each with all before it: `?` where records lack the field, how many records lack the field, ranges and how many
 * values differ, how often each of a few values comes, and an example.
 */
export const DETAILS = ["types", "lacks", "ranges", "values", "examples"] as const;

/** One of {@link DETAILS}. */
export type Detail = (typeof DETAILS)[number];

/** How fields are written. */
export interface FieldStyle {
  readonly detail: Detail;
  /** Values of one field that are counted. */
  readonly maxValues: number;
  /** Records that were looked at, and whether others were not. */
  readonly of: number;
  readonly isSample: boolean;
  /** The records are rows of a table: every value is text, and the guidance says so. */
  readonly rows: boolean;
}

/** Longest value that is counted, in UTF-16 units. */
const MAX_VALUE_CHARACTERS = 40;
/** More different values than these are no low cardinality; of numbers fewer are. */
const MAX_DISTINCT = 40;
const MAX_DISTINCT_NUMBERS = 8;
const MAX_EXAMPLE_CHARACTERS = 32;
/** Texts that are longer are said to be. */
const LONG_CHARACTERS = 200;
/** Keys of a map that are named, and the longest of them and of fields in it. */
const MAX_KEYS = 3;
const MAX_KEY_CHARACTERS = 24;
/** Fields that are named inside a list or a map, and the longest text of them. */
export const MAX_MEMBERS = 16;
const MAX_INNER_CHARACTERS = 320;

/** Whether something of a detail is shown. */
export function shows({ detail }: FieldStyle, least: Detail): boolean {
  return DETAILS.indexOf(detail) >= DETAILS.indexOf(least);
}

/** The type of a field as a query needs it, and what is known of its values: `integer -5..40, 12 lack it`. */
export function fieldText(node: ShapeNode, style: FieldStyle): string {
  const text = typeText(node, style);
  if (!shows(style, "lacks")) return node.count < style.of ? `${text}?` : text;
  const lacking = lacksText(node, style);
  return lacking === "" ? text : `${text}, ${lacking}`;
}

/** How many records have nothing at a place. */
function lacksText(node: ShapeNode, style: FieldStyle): string {
  const parts = [
    [style.of - node.count, "lack it"],
    [node.types.length > 1 ? node.nulls : 0, "null"],
    [node.empties < node.count ? node.empties : 0, "empty"],
  ] as const;
  return parts
    .filter(([count]) => count > 0)
    .map(([count, what]) => `${counted(count, style)} ${what}`)
    .join(", ");
}

/** A count; of a sample the share, since no count of records would be one of the set. */
function counted(count: number, { isSample, of }: FieldStyle): string {
  if (!isSample) return String(count);
  const share = (100 * count) / Math.max(1, of);
  return share < 1 ? "~<1%" : `~${Math.round(share)}%`;
}

function typeText(node: ShapeNode, style: FieldStyle): string {
  // A number may be whole.
  const types = node.types.filter((type) => type !== "integer" || !node.types.includes("number"));
  const said = types.filter((type) => type !== "null" || types.length === 1);
  return said.map((type) => ofType(node, type, style, said.length === 1)).join(" or ");
}

function ofType(node: ShapeNode, type: FieldType, style: FieldStyle, isOne: boolean): string {
  if (type === "array") return listText(node, style);
  if (type === "object") return objectText(node, style);
  if (type === "string") return isOne ? stringText(node, style) : "text";
  if (!isOne) return withRange(type, type === "boolean" ? undefined : node.numberRange, style);
  if (type === "boolean") return `boolean${valuesText(node, style)}`;
  if (type === "null") return "null";
  const values = valuesText(node, style);
  if (values !== "") return type + values;
  return (
    withRange(type, node.numberRange, style) + (type === "integer" ? uniqueText(node, style) : "")
  );
}

function withRange(type: string, range: ValueRange | undefined, style: FieldStyle): string {
  if (range === undefined || !shows(style, "ranges")) return type;
  const mark = style.isSample ? "~" : "";
  return `${type} ${mark}${range.min === range.max ? range.min : `${range.min}..${range.max}`}`;
}

function uniqueText({ unique }: ShapeNode, style: FieldStyle): string {
  return unique && !style.isSample && shows(style, "ranges") ? ", unique" : "";
}

function stringText(node: ShapeNode, style: FieldStyle): string {
  const { dateLike, oddDates, numbersInText, separator } = node;
  if (dateLike) {
    const type = `text ${node.hasTimes ? "date-time" : "date"}`;
    return withRange(type, node.stringRange, style) + uniqueText(node, style);
  }
  if (numbersInText !== undefined) return numberText(node, numbersInText, style);
  if (separator !== undefined) return `list in text, split ${JSON.stringify(separator)}`;
  const values = oddDates ? "" : valuesText(node, style);
  if (values !== "") return `text${values}`;
  return `text${oddDates ? " date" : ""}${lengthText(node, style)}${exampleText(node, style)}${distinctText(node, style)}`;
}

/** A number that is written as text, so that a query has to convert it. */
function numberText(
  node: ShapeNode,
  form: NonNullable<ShapeNode["numbersInText"]>,
  style: FieldStyle,
): string {
  const isCell = style.rows && (form === "integers" || form === "numbers");
  const type = isCell ? (form === "integers" ? "integer" : "number") : "number in text";
  if (isCell) {
    const values = valuesText(node, style);
    if (values !== "") return type + values;
  }
  // Without an example nobody knows what is to be taken away.
  const shown = form === "amounts" && !shows(style, "ranges") ? exampleOf(node) : "";
  return withRange(type, node.stringRange, style) + shown + uniqueText(node, style);
}

function lengthText({ maxCharacters }: ShapeNode, style: FieldStyle): string {
  if (maxCharacters < LONG_CHARACTERS || !shows(style, "ranges")) return "";
  return ` to ${style.isSample ? "~" : ""}${maxCharacters} characters`;
}

function exampleText(node: ShapeNode, style: FieldStyle): string {
  return node.oddDates || shows(style, "examples") ? exampleOf(node) : "";
}

function exampleOf({ commonValues }: ShapeNode): string {
  const found = commonValues.find(({ value }) => typeof value === "string" && value !== "")?.value;
  const text = String(found ?? "");
  return text === "" || text.length > MAX_EXAMPLE_CHARACTERS ? "" : ` ${JSON.stringify(text)}`;
}

function distinctText(node: ShapeNode, style: FieldStyle): string {
  if (!shows(style, "ranges") || style.isSample) return "";
  if (node.unique) return ", unique";
  const different = valuesIn(node).length;
  return different === 0 ? "" : `, ${different} different`;
}

/** How often each of a few values comes; empty where there are many. */
function valuesText(node: ShapeNode, style: FieldStyle): string {
  if (!shows(style, "values") || !areFew(node)) return "";
  const values = valuesIn(node);
  const shown = values
    .slice(0, style.maxValues)
    .map(({ value, count }) => `${valueText(value)} ×${counted(count, style)}`);
  const more = values.length - shown.length;
  return `: ${shown.join(", ")}${more > 0 ? `, ${style.isSample ? "~" : ""}${more} more` : ""}`;
}

/** Those that are not empty, which are counted elsewhere. */
function valuesIn({ values = [] }: ShapeNode): readonly ValueCount[] {
  return values.filter(({ value }) => value !== "");
}

/** Whether the values of a field are few and short, and most come again. */
export function areFew(node: ShapeNode): boolean {
  const { types } = node;
  const values = valuesIn(node);
  const isNumber = types.includes("integer") || types.includes("number");
  const most = isNumber ? MAX_DISTINCT_NUMBERS : MAX_DISTINCT;
  const total = values.reduce((sum, { count }) => sum + count, 0);
  return (
    values.length > 0 &&
    values.length <= most &&
    2 * values.length <= total &&
    values.every(({ value }) => String(value).length <= MAX_VALUE_CHARACTERS)
  );
}

/** A value as it stands in a list of them: in quotes where it could be taken for something else. */
function valueText(value: string | number | boolean): string {
  if (typeof value !== "string") return String(value);
  return /^[\p{L}\p{N}](?:[^",×]*[^",×\s])?$/u.test(value) ? value : JSON.stringify(value);
}

function listText({ items, lengths }: ShapeNode, style: FieldStyle): string {
  const { min, max } = lengths ?? { min: 0, max: 0 };
  const mark = style.isSample ? "~" : "";
  const length = shows(style, "ranges") ? ` ${mark}${min === max ? max : `${min}..${max}`}` : "";
  if (items === undefined || items.count === 0) return `list${length}`;
  const inner = innerText(items, style);
  return `list${length} of ${inner.includes(" or ") && !inner.startsWith("{") ? `(${inner})` : inner}`;
}

/** Objects whose fields stand for themselves are no leaves; those without any are `object`. */
function objectText({ map, fields }: ShapeNode, style: FieldStyle): string {
  if (map === undefined) return "object";
  return mapText(map, style, fields.length > 0);
}

function mapText({ keys, hasMore, members }: MapShape, style: FieldStyle, isPart: boolean): string {
  const shown = keys.slice(0, MAX_KEYS).map((key) => shorten(key, MAX_KEY_CHARACTERS));
  const inside = members.fields.length > MAX_MEMBERS ? "objects" : innerText(members, style);
  const named = shows(style, "ranges")
    ? ` (${[...shown, ...(keys.length > MAX_KEYS ? ["…"] : [])].join(", ")})`
    : "";
  const mark = style.isSample || hasMore ? "~" : "";
  return `map of ${mark}${keys.length} ${isPart ? "more " : ""}keys${named} of ${inside}`;
}

/** What is inside a list or a map, on one line: `{name, size: integer}`. */
function innerText(node: ShapeNode, style: FieldStyle): string {
  const text = inner(node, { ...style, detail: "types", of: 0 });
  return text.length <= MAX_INNER_CHARACTERS ? text : shorten(text, MAX_INNER_CHARACTERS);
}

function inner(node: ShapeNode, style: FieldStyle): string {
  const { fields, types, map } = node;
  if (!types.includes("object") || fields.length === 0) return typeText(node, style);
  const named = fields.slice(0, MAX_MEMBERS).map((field) => {
    const key = shorten(field.path.at(-1) ?? "", MAX_KEY_CHARACTERS);
    const text = inner(field, style);
    return text === "text" ? key : `${key}: ${text}`;
  });
  const rest = map === undefined ? [] : [`<key>: ${inner(map.members, style)}`];
  const isCut = fields.length > MAX_MEMBERS || node.lacksFields;
  const others = types.filter((type) => type !== "object" && type !== "null");
  const text = `{${[...named, ...rest, ...(isCut ? ["…"] : [])].join(", ")}}`;
  return others.length === 0 ? text : `${text} or ${others.join(" or ").replace("string", "text")}`;
}
