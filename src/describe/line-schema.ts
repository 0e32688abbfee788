import type { FieldProfile, RecordProfile, ShapeNode } from "./profile.js";
import { shorten } from "./safe-text.js";

/** How much of the fields a schema shows. */
export interface SchemaSize {
  /** Most fields that are named. */
  readonly maxFields: number;
  /** Whether fields with few different values name them. */
  readonly values?: boolean;
}

type JsonSchema = Readonly<Record<string, unknown>>;

/** Longest field name that a schema shows, in UTF-16 units; longer ones count as left out. */
const MAX_NAME_CHARACTERS = 64;
/** Values of a field that are named, and their longest, in UTF-16 units. */
const MAX_VALUES = 5;
const MAX_VALUE_CHARACTERS = 20;
/** Names of the fields of a list's objects that are shown. */
const MAX_ITEM_NAMES = 5;

/**
 * JSON Schema of one record line. Every line is valid against it when the profile is complete; a
 * schema from a sample says so in `$comment` and names no required fields.
 */
export function lineSchema(profile: RecordProfile, { maxFields }: SchemaSize): JsonSchema {
  const budget = { fields: maxFields };
  const schema = schemaOf(profile.root, profile.complete, budget);
  const comments = [
    ...(profile.complete ? [] : [`from ${profile.sampledCount} of ${profile.recordCount} records`]),
    ...(budget.fields < 0 || profile.omittedFields > 0 ? ["more fields exist"] : []),
  ];
  return comments.length === 0 ? schema : { ...schema, $comment: comments.join("; ") };
}

function schemaOf(node: ShapeNode, complete: boolean, budget: { fields: number }): JsonSchema {
  // Every integer is a number, so a field that had both needs only the wider type.
  const types = node.types.filter((type) => type !== "integer" || !node.types.includes("number"));
  const shown = node.fields.filter((field) => {
    const fits = field.path.at(-1)!.length <= MAX_NAME_CHARACTERS && budget.fields > 0;
    budget.fields = fits ? budget.fields - 1 : Math.min(budget.fields, 0) - 1;
    return fits;
  });
  const required = shown.filter((field) => complete && field.count === node.count);
  const properties = shown.map(
    (field) => [field.path.at(-1)!, schemaOf(field, complete, budget)] as const,
  );
  return {
    ...(types.length === 0 ? {} : { type: types.length === 1 ? types[0] : types }),
    ...(properties.length === 0 ? {} : { properties: Object.fromEntries<JsonSchema>(properties) }),
    ...(required.length === 0 ? {} : { required: required.map((field) => field.path.at(-1)) }),
    ...(node.items === undefined || node.items.count === 0
      ? {}
      : { items: schemaOf(node.items, complete, budget) }),
  };
}

/**
 * The fields as one flat map from dotted name to type, for few tokens: `?` marks a field that some
 * records lack, `[]` an array (`{name,color}[]` one of objects), `=` few values (`…` at their end: those of the sample), and `…` how many fields are not named. Records
 * that are no objects give their type alone.
 */
export function outline(
  profile: RecordProfile,
  { maxFields, values = false }: SchemaSize,
): unknown {
  if (profile.fields.length === 0) return typeText(profile.root);
  const named = profile.fields.filter(
    (field) => field.fields.length === 0 && field.name.length <= MAX_NAME_CHARACTERS,
  );
  const shown = named.slice(0, maxFields);
  const entries = shown.map((field) => [field.name, fieldText(field, profile, values)]);
  const leaves = profile.fields.filter((field) => field.fields.length === 0).length;
  const hidden = leaves - shown.length + profile.omittedFields;
  if (hidden > 0) entries.push(["…", `${hidden} more fields`]);
  return Object.fromEntries(entries);
}

function fieldText(field: FieldProfile, profile: RecordProfile, values: boolean): string {
  const optional = field.count < profile.root.count ? "?" : "";
  const known = field.values ?? [];
  const few =
    values && known.length > 1 && known.length <= MAX_VALUES && 2 * known.length <= field.count;
  const shown = known.map(({ value }) => shorten(String(value), MAX_VALUE_CHARACTERS));
  // A sample cannot say that there are no other values.
  if (!profile.complete) shown.push("…");
  const text = field.types.includes("boolean") || !few ? "" : `=${shown.join("|")}`;
  return `${typeText(field)}${optional}${text}`;
}

function typeText(node: ShapeNode): string {
  return node.types
    .map((type) => (type === "array" ? listText(node.items) : scalarText(node, type)))
    .join("|");
}

function scalarText(node: ShapeNode, type: string): string {
  return type === "string" && node.dateLike ? "date" : type;
}

/** `string[]`, or `{name,color}[]` for objects whose names are few and short. */
function listText(items: ShapeNode | undefined): string {
  if (items === undefined || items.count === 0) return "array";
  const names = items.fields.map((field) => field.path.at(-1)!);
  const short =
    names.length > 0 &&
    names.length <= MAX_ITEM_NAMES &&
    names.every((name) => name.length <= MAX_VALUE_CHARACTERS);
  return short && items.types.join() === "object"
    ? `{${names.join(",")}}[]`
    : `${typeText(items)}[]`;
}
