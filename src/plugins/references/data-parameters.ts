import { fieldOf } from "../../util/field-of.js";
import { isRecord, type JsonObject } from "../../util/is-record.js";

interface DataParameter {
  readonly name: string;
  readonly rank: number;
}

const LONG_TEXTS = new Set(
  "body code content contents csv data document html json markdown message payload script text xml yaml".split(
    " ",
  ),
);
const LONG_CHARACTERS = 10_000;
const MIN_ITEMS = 20;
const MAX_HOPS = 4;
const MIN_CHARACTERS = 1_000;

const SHAPED = ["$ref", "type", "anyOf", "oneOf", "allOf", "not", "properties", "items"];

/**
 * Parameters that take data by their JSON schema: lists, objects with any keys, unconstrained values, and texts that
 * are long by name or limit. Enumerations and tightly limited values are not data.
 */
export function dataParameters(schema: unknown): readonly DataParameter[] {
  const properties = fieldOf(schema, "properties");
  if (!isRecord(properties)) return [];
  return Object.entries(properties).flatMap(([name, own]) => {
    const ranks = branchesOf(own, schema).map((branch) => rankOf(name, branch, schema));
    const rank = Math.min(...ranks);
    return rank === Infinity ? [] : [{ name, rank }];
  });
}

/**
 * A single object for a list becomes a list of one, and data for a text become JSON. Of both, a filter gives the list.
 * `undefined` means unchanged.
 */
export function takenAs(
  schema: unknown,
  parameter: string,
  isFiltered: boolean,
): "list" | "text" | undefined {
  const branches = branchesOf(fieldOf(fieldOf(schema, "properties"), parameter), schema);
  const takes = (type: string) => branches.some((branch) => isType(fieldOf(branch, "type"), type));
  if (takes("object") || branches.some((branch) => fieldOf(branch, "type") === undefined))
    return undefined;
  if (takes("array") && (isFiltered || !takes("string"))) return "list";
  return takes("string") ? "text" : undefined;
}

function branchesOf(own: unknown, root: unknown): readonly unknown[] {
  const schema = target(own, root);
  const branches = fieldOf(schema, "anyOf") ?? fieldOf(schema, "oneOf");
  if (!Array.isArray(branches)) return [schema];
  return branches.map((branch: unknown) => target(branch, root));
}

/** What a `$ref` into the definitions of the schema names, also by another one. */
function target(schema: unknown, root: unknown, hops = MAX_HOPS): unknown {
  const [, section, name] =
    /^#\/(\$defs|definitions)\/([^/]{1,200})$/.exec(String(fieldOf(schema, "$ref"))) ?? [];
  return section === undefined || name === undefined || hops === 0
    ? schema
    : target(fieldOf(fieldOf(root, section), name), root, hops - 1);
}

function rankOf(name: string, schema: unknown, root: unknown): number {
  if (!isRecord(schema) || "enum" in schema || "const" in schema) return Infinity;
  const { type } = schema;
  if (SHAPED.every((key) => !(key in schema))) return 0;
  if (isType(type, "array")) return rankOfList(schema, root);
  if (isType(type, "object")) {
    const properties = schema["properties"];
    return isRecord(properties) && Object.keys(properties).length > 0 ? Infinity : 2;
  }
  return isType(type, "string") && isLongText(name, schema) ? 1 : Infinity;
}

function isType(type: unknown, wanted: string): boolean {
  return type === wanted || (Array.isArray(type) && type.includes(wanted));
}

/** Texts and numbers rank last, because such lists are often short. */
function rankOfList({ items, maxItems, prefixItems }: JsonObject, root: unknown): number {
  if (Number(maxItems) < MIN_ITEMS || prefixItems !== undefined || Array.isArray(items))
    return Infinity;
  const branches = branchesOf(items, root).filter(isRecord);
  const areOf = (type: string) => branches.some((one) => isType(one["type"], type));
  if (areOf("boolean") || branches.some((one) => "enum" in one || "const" in one)) return Infinity;
  return ["string", "number", "integer"].some(areOf) ? 3 : 0;
}

function isLongText(name: string, { format, maxLength }: JsonObject): boolean {
  if (format !== undefined || Number(maxLength) < MIN_CHARACTERS) return false;
  return Number(maxLength) >= LONG_CHARACTERS || LONG_TEXTS.has(lastWord(name));
}

function lastWord(name: string): string {
  const words = name
    .replaceAll(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, "_")
    .toLowerCase()
    .split(/[^a-z]/);
  return words.findLast((word) => word !== "") ?? "";
}
