import type { Place } from "../../profile/place.js";
import type { RecordProfile } from "../../profile/profile.js";

type JsonSchema = Readonly<Record<string, unknown>>;

/** Longest field name that a schema shows, in UTF-16 units; longer ones count as left out. */
const MAX_NAME_CHARACTERS = 64;

/**
 * JSON Schema of one record line, with at most so many fields. Every line is valid against it when the profile is complete; a
 * schema from a sample says so in `$comment` and names no required fields.
 */
export function lineSchema(profile: RecordProfile, maxFields: number): JsonSchema {
  const budget = { fields: maxFields };
  const schema = schemaOf(profile.root, profile.complete, budget);
  const comments = [
    ...(profile.complete ? [] : [`from ${profile.sampledCount} of ${profile.recordCount} records`]),
    ...(budget.fields < 0 || profile.lacksFields ? ["more fields exist"] : []),
  ];
  return comments.length === 0 ? schema : { ...schema, $comment: comments.join("; ") };
}

function schemaOf(node: Place, complete: boolean, budget: { fields: number }): JsonSchema {
  // Every integer is a number, so a field that had both needs only the wider type.
  const types = node.types.filter((type) => type !== "integer" || !node.types.includes("number"));
  const shown = node.fields.filter((field) => {
    const fits = field.key.length <= MAX_NAME_CHARACTERS && budget.fields > 0;
    budget.fields = fits ? budget.fields - 1 : Math.min(budget.fields, 0) - 1;
    return fits;
  });
  const required = shown.filter((field) => complete && field.count === node.count);
  const properties = shown.map((field) => [field.key, schemaOf(field, complete, budget)] as const);
  return {
    ...(types.length === 0 ? {} : { type: types.length === 1 ? types[0] : types }),
    ...(properties.length === 0 ? {} : { properties: Object.fromEntries<JsonSchema>(properties) }),
    ...(node.members === undefined
      ? {}
      : { additionalProperties: schemaOf(node.members, complete, budget) }),
    ...(required.length === 0 ? {} : { required: required.map(({ key }) => key) }),
    ...(node.items === undefined || node.items.count === 0
      ? {}
      : { items: schemaOf(node.items, complete, budget) }),
  };
}
