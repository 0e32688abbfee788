import type { ShapeNode } from "../../../profile/shape.js";
import type { ValueCount } from "../../../profile/value-tally.js";
import { counted, type FieldStyle, shows } from "./field-style.js";

/** Longest value that is counted, in UTF-16 units. */
const MAX_VALUE_CHARACTERS = 40;
/** More different values than these are no low cardinality; of numbers fewer are. */
const MAX_DISTINCT = 40;
const MAX_DISTINCT_NUMBERS = 8;
/** So few short values are all said. */
const HANDFUL = 5;
const MAX_HANDFUL_CHARACTERS = 80;
/** Texts that could be taken for no text. */
const LOOKS_OTHER = /^(?:null|none|nil|nan|undefined|true|false)$/i;

/** How often each of a few values comes; empty where there are many. */
export function valuesText(node: ShapeNode, style: FieldStyle): string {
  if (!areFew(node)) return "";
  const values = valuesIn(node);
  // A handful is said whole, or by name.
  const isHandful = areHandful(values);
  if (!shows(style, "values")) {
    if (!isHandful || isNumber(node) || !shows(style, "ranges")) return "";
    return `: ${values.map(({ value }) => valueText(value)).join(", ")}`;
  }
  const shown = values
    .slice(0, isHandful ? HANDFUL : style.maxValues)
    .map(({ value, count }) => `${valueText(value)} ×${counted(count, style)}`);
  const more = values.length - shown.length;
  return `: ${shown.join(", ")}${more > 0 ? `, ${style.isSample ? "~" : ""}${more} more` : ""}`;
}

function areHandful(values: readonly ValueCount[]): boolean {
  const characters = values.reduce((sum, { value }) => sum + String(value).length, 0);
  return values.length <= HANDFUL && characters <= MAX_HANDFUL_CHARACTERS;
}

/** Those that are not empty, which are counted elsewhere. */
export function valuesIn({ values = [] }: ShapeNode): readonly ValueCount[] {
  return values.filter(({ value }) => value !== "");
}

/** Whether the values of a field are few and short, and most come again. */
export function areFew(node: ShapeNode): boolean {
  const values = valuesIn(node);
  const most = isNumber(node) ? MAX_DISTINCT_NUMBERS : MAX_DISTINCT;
  const total = values.reduce((sum, { count }) => sum + count, 0);
  return (
    values.length > 0 &&
    values.length <= most &&
    (2 * values.length <= total || (!isNumber(node) && values.length <= HANDFUL)) &&
    values.every(({ value }) => String(value).length <= MAX_VALUE_CHARACTERS)
  );
}

function isNumber({ types, numbersInText }: ShapeNode): boolean {
  return types.includes("integer") || types.includes("number") || numbersInText !== undefined;
}

/** A value as it stands in a list of them: in quotes where it could be taken for something else. */
export function valueText(value: string | number | boolean): string {
  if (typeof value !== "string") return String(value);
  if (LOOKS_OTHER.test(value)) return JSON.stringify(value);
  return /^[\p{L}\p{N}](?:[^",×]*[^",×\s])?$/u.test(value) ? value : JSON.stringify(value);
}
