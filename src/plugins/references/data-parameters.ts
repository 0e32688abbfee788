import { fieldOf } from "../../util/field-of.js";
import { isRecord } from "../../util/is-record.js";

const LONG_TEXTS = new Set(
  "body code content contents csv data document html json markdown message payload script text xml yaml".split(
    " ",
  ),
);
const LONG_CHARACTERS = 10_000;
const MIN_ITEMS = 20;
const MIN_CHARACTERS = 1_000;
const MAX_PARAMETERS = 200;
const MAX_BRANCHES = 10;
const MAX_HOPS = 4;
const MAX_NAME_CHARACTERS = 64;

const SHAPED = ["$ref", "type", "anyOf", "oneOf", "allOf", "not", "properties", "items"];

/**
 * Parameters that take data by their JSON schema: lists, objects with any keys, unconstrained values, and texts that
 * are long by name or limit. Enumerations and tightly limited values are not data.
 */
export function dataParameters(schema: unknown): readonly string[] {
  const properties = fieldOf(schema, "properties");
  if (!isRecord(properties)) return [];
  return Object.entries(properties)
    .slice(0, MAX_PARAMETERS)
    .filter(([name, own]) => branchesOf(own, schema).some((branch) => takesData(name, branch)))
    .map(([name]) => name);
}

/** A single object for a list becomes a list of one, and data for a text become JSON. `undefined` means unchanged. */
export function takenAs(schema: unknown, parameter: string): "list" | "text" | undefined {
  const branches = branchesOf(fieldOf(fieldOf(schema, "properties"), parameter), schema);
  const takes = (type: string): boolean =>
    branches.some((branch) => isType(fieldOf(branch, "type"), type));
  if (takes("object") || branches.some((branch) => fieldOf(branch, "type") === undefined))
    return undefined;
  if (takes("array")) return "list";
  return takes("string") ? "text" : undefined;
}

function branchesOf(own: unknown, root: unknown): readonly unknown[] {
  const schema = target(own, root);
  const branches = fieldOf(schema, "anyOf") ?? fieldOf(schema, "oneOf");
  if (!Array.isArray(branches)) return [schema];
  return branches.slice(0, MAX_BRANCHES).map((branch: unknown) => target(branch, root));
}

function target(own: unknown, root: unknown): unknown {
  let schema = own;
  for (let hop = 0; hop < MAX_HOPS; hop += 1) {
    const [, section, name] =
      /^#\/(\$defs|definitions)\/([^/]{1,200})$/.exec(String(fieldOf(schema, "$ref"))) ?? [];
    if (section === undefined || name === undefined) return schema;
    schema = fieldOf(fieldOf(root, section), name);
  }
  return undefined;
}

function takesData(name: string, schema: unknown): boolean {
  if (!isRecord(schema) || "enum" in schema || "const" in schema) return false;
  if (SHAPED.every((key) => !(key in schema))) return true;
  const { type, properties } = schema;
  if (isType(type, "array")) return isLongList(schema);
  if (isType(type, "object")) return Object.keys(Object(properties)).length === 0;
  return isType(type, "string") && isLongText(name, schema);
}

function isType(type: unknown, wanted: string): boolean {
  return type === wanted || (Array.isArray(type) && type.includes(wanted));
}

function isLongList({ items, maxItems, prefixItems }: Readonly<Record<string, unknown>>): boolean {
  if (Number(maxItems) < MIN_ITEMS || prefixItems !== undefined || Array.isArray(items))
    return false;
  return !isRecord(items) || !("enum" in items || "const" in items || items["type"] === "boolean");
}

function isLongText(
  name: string,
  { format, maxLength }: Readonly<Record<string, unknown>>,
): boolean {
  if (format !== undefined || Number(maxLength) < MIN_CHARACTERS) return false;
  return Number(maxLength) >= LONG_CHARACTERS || LONG_TEXTS.has(lastWord(name));
}

function lastWord(name: string): string {
  if (name.length > MAX_NAME_CHARACTERS) return "";
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z]/);
  return words.findLast((word) => word !== "") ?? "";
}
