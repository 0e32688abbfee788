import type { FieldType } from "../profile/field-tally.js";
import type { RecordProfile } from "../profile/profile.js";
import type { FieldProfile, ShapeNode } from "../profile/shape.js";
import type { ValueRange } from "../profile/range-tally.js";

/** How much of the fields a schema shows. */
export interface SchemaSize {
  /** Most fields that are named. */
  readonly maxFields: number;
  /**
   * What stands beside the type: nothing, the lowest and highest value and the lengths of arrays, or also how many
   * different values there are.
   */
  readonly detail?: "types" | "ranges" | "distinct";
  /** Fields whose values are counted elsewhere. */
  readonly counted?: readonly FieldProfile[];
}

type JsonSchema = Readonly<Record<string, unknown>>;

/** Longest field name that a schema shows, in UTF-16 units; longer ones count as left out. */
const MAX_NAME_CHARACTERS = 64;
/** Names of the fields of a list's objects that are shown, and their longest, in UTF-16 units. */
const MAX_ITEM_NAMES = 5;
const MAX_ITEM_NAME_CHARACTERS = 20;

/**
 * JSON Schema of one record line. Every line is valid against it when the profile is complete; a
 * schema from a sample says so in `$comment` and names no required fields.
 */
export function lineSchema(profile: RecordProfile, { maxFields }: SchemaSize): JsonSchema {
  const budget = { fields: maxFields };
  const schema = schemaOf(profile.root, profile.complete, budget);
  const comments = [
    ...(profile.complete ? [] : [lookedAt(profile)]),
    ...(budget.fields < 0 || profile.omittedFields > 0 ? ["more fields exist"] : []),
  ];
  return comments.length === 0 ? schema : { ...schema, $comment: comments.join("; ") };
}

function lookedAt(profile: RecordProfile): string {
  const { sampledCount, recordCount } = profile;
  const parts = partsLookedAt(profile);
  const isSample = sampledCount < recordCount || parts.length === 0;
  return [...(isSample ? [`from ${sampledCount} of ${recordCount} records`] : []), ...parts].join(
    ", ",
  );
}

/** What of each record was looked at when not all of it was. */
export function partsLookedAt({ cutObjects, cutArrays }: RecordProfile): string[] {
  return [
    ...(cutObjects ? ["the first 1000 keys of each"] : []),
    ...(cutArrays ? ["the first 50 items of each list"] : []),
  ];
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
 * records lack, `[]` an array (`{name,color}[]` one of objects), and `…` how many fields are not named. With
 * more detail there are ranges (`integer 0..22`), lengths (`string[0..3]`) and counts (`string, 12 distinct`).
 * Records that are no objects give their type alone.
 */
export function outline(
  profile: RecordProfile,
  { maxFields, detail = "types", counted = [] }: SchemaSize,
): unknown {
  const ranges = detail !== "types";
  if (profile.fields.length === 0) return typeText(profile.root, "", ranges);
  const named = profile.fields.filter(
    (field) => field.fields.length === 0 && field.name.length <= MAX_NAME_CHARACTERS,
  );
  const shown = named.slice(0, maxFields);
  const entries = shown.map((field) => {
    const optional = field.count < profile.root.count ? "?" : "";
    const distinct =
      detail === "distinct" ? distinctText(field, profile, counted.includes(field)) : "";
    return [field.name, typeText(field, optional, ranges) + distinct];
  });
  const leaves = profile.fields.filter((field) => field.fields.length === 0).length;
  const hidden = leaves - shown.length + profile.omittedFields;
  if (hidden > 0) {
    entries.push(["…", `${profile.omitsMore ? "at least " : ""}${hidden} more fields`]);
  }
  return Object.fromEntries(entries);
}

/** How many values are different; where a range stands, only whether all are. */
function distinctText(field: FieldProfile, profile: RecordProfile, counted: boolean): string {
  const { values = [], types, stringRange, dateLike } = field;
  const isText = types.every((type) => type === "string" || type === "null");
  const isWhole = types.every((type) => type === "integer" || type === "null");
  if (values.length === 0 || !(isText || isWhole) || dateLike) return "";
  // A sample cannot say that no value comes twice.
  const all = profile.sampledCount === profile.recordCount;
  if (all && values.length > 1 && values.every(({ count }) => count === 1)) return ", unique";
  return isWhole || stringRange !== undefined || counted ? "" : `, ${values.length} distinct`;
}

function typeText(node: ShapeNode, optional: string, ranges: boolean): string {
  // A number may be whole.
  const types = node.types.filter((type) => type !== "integer" || !node.types.includes("number"));
  const texts = types.map((type, index) => {
    const mark = index === 0 ? optional : "";
    return type === "array" ? listText(node, ranges) + mark : scalarText(node, type, mark, ranges);
  });
  return texts.join("|");
}

function scalarText(node: ShapeNode, type: FieldType, mark: string, ranges: boolean): string {
  if (type === "string") {
    const { stringRange, dateLike } = node;
    const name = stringRange?.of === "numbers" && ranges ? "numeric string" : type;
    return (dateLike ? "date" : name) + mark + rangeText(ranges ? stringRange : undefined);
  }
  const isNumber = type === "number" || type === "integer";
  return type + mark + rangeText(isNumber && ranges ? node.numberRange : undefined);
}

function rangeText(range: ValueRange | undefined): string {
  if (range === undefined) return "";
  return range.min === range.max ? ` ${range.min}` : ` ${range.min}..${range.max}`;
}

/** `string[]`, or `{name,color}[]` for objects whose names are few and short. */
function listText({ items, lengths }: ShapeNode, ranges: boolean): string {
  const { min, max } = lengths ?? { min: 0, max: 0 };
  const length = !ranges ? "" : min === max ? `${max}` : `${min}..${max}`;
  if (items === undefined || items.count === 0) return ranges ? `array[${length}]` : "array";
  const text = typeText(items, "", false);
  const names = items.fields.map((field) => field.path.at(-1)!);
  const short =
    names.length > 0 &&
    !items.lacksFields &&
    names.length <= MAX_ITEM_NAMES &&
    names.every((name) => name.length <= MAX_ITEM_NAME_CHARACTERS);
  return short && items.types.join() === "object"
    ? `{${names.join(",")}}[${length}]`
    : `${items.types.length > 1 ? `(${text})` : text}[${length}]`;
}
