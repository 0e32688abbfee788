import type { ShapeNode } from "../../../profile/shape.js";
import { counted, type FieldStyle, shows, uniqueText, withRange } from "./field-style.js";
import { valuesIn, valuesText, valueText } from "./values-text.js";

/** Longest example, in UTF-16 units. */
const MAX_EXAMPLE_CHARACTERS = 32;
/** Share of the texts that are numbers where the others are exceptions. */
const MOSTLY_NUMBERS = 0.5;
/** Texts that are longer are said to be. */
const LONG_CHARACTERS = 200;

/** Texts in words: what they are to a query, and what is known of their values. */
export function stringText(node: ShapeNode, style: FieldStyle): string {
  const { dateLike, numbersInText } = node;
  if (dateLike) {
    const type = `text ${node.hasTimes ? "date-time" : "date"}`;
    return withRange(type, node.stringRange, style) + uniqueText(node, style);
  }
  if (numbersInText !== undefined) return numberText(node, numbersInText, style);
  const values = valuesText(node, style);
  if (values !== "") return `text${values}`;
  if (isMostlyNumbers(node) && shows(style, "ranges")) return mixedText(node, style);
  return `text${lengthText(node, style)}${exampleText(node, style)}${distinctText(node, style)}`;
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
  return withRange(type, node.stringRange, style) + uniqueText(node, style);
}

/** Whether nearly all texts are numbers, but not all. */
function isMostlyNumbers({ numerals, strings, empties }: ShapeNode): boolean {
  const filled = strings - empties;
  return numerals < filled && numerals >= MOSTLY_NUMBERS * filled;
}

/** Numbers among which are other texts: how many, and the first. */
function mixedText(node: ShapeNode, style: FieldStyle): string {
  const { numerals, strings, empties } = node;
  const others = counted(strings - empties - numerals, style);
  return `${withRange("number in text", node.stringRange, style)} ×${counted(numerals, style)}, else text ×${others}${wordText(node)}`;
}

function lengthText({ maxCharacters }: ShapeNode, style: FieldStyle): string {
  if (maxCharacters < LONG_CHARACTERS || !shows(style, "ranges")) return "";
  return ` to ${style.isSample ? "~" : ""}${maxCharacters} characters`;
}

function exampleText(node: ShapeNode, style: FieldStyle): string {
  return shows(style, "examples") ? exampleOf(node) : "";
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

/** The first text that is no number. */
export function wordText({ word = "" }: ShapeNode): string {
  return word === "" || word.length > MAX_EXAMPLE_CHARACTERS ? "" : ` (${valueText(word)})`;
}
