import { keyInName } from "../../../profile/field-name.js";
import type { FieldType } from "../../../profile/field-tally.js";
import type { MapShape, ShapeNode } from "../../../profile/shape.js";
import { shorten } from "../../../../util/safe-text.js";
import { counted, type FieldStyle, shows, uniqueText, withRange } from "./field-style.js";
import { stringText, wordText } from "./string-text.js";
import { valuesText } from "./values-text.js";

/** Keys of a map that are named, and the longest of them and of fields in it. */
const MAX_KEYS = 3;
const MAX_KEY_CHARACTERS = 24;
/** Fields that are named inside a list or a map, and the longest text of them. */
export const MAX_MEMBERS = 16;
const MAX_INNER_CHARACTERS = 320;

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

/** The type alone, with what is known of its values. */
export function typeText(node: ShapeNode, style: FieldStyle): string {
  // A number may be whole.
  const types = node.types.filter((type) => type !== "integer" || !node.types.includes("number"));
  const said = types.filter((type) => type !== "null" || types.length === 1);
  if (said.length === 1) return ofType(node, said[0] ?? "null", style, true);
  return said
    .map((type) => ofType(node, type, style, false) + howMany(node, type, style))
    .join(" or ");
}

/** Of texts among numbers how many there are, and the first. */
function howMany(node: ShapeNode, type: FieldType, style: FieldStyle): string {
  if (type !== "string" || !shows(style, "ranges") || node.numberRange === undefined) return "";
  return ` ×${counted(node.strings, style)}${wordText(node)}`;
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
    const key = shorten(keyInName(field.path.at(-1) ?? ""), MAX_KEY_CHARACTERS);
    const text = inner(field, style);
    return text === "text" ? key : `${key}: ${text}`;
  });
  const rest = map === undefined ? [] : [`<key>: ${inner(map.members, style)}`];
  const isCut = fields.length > MAX_MEMBERS || node.lacksFields;
  const others = types.filter((type) => type !== "object" && type !== "null");
  const text = `{${[...named, ...rest, ...(isCut ? ["…"] : [])].join(", ")}}`;
  return others.length === 0 ? text : `${text} or ${others.join(" or ").replace("string", "text")}`;
}
