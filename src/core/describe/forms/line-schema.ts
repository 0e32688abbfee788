import type { Place } from "../../profile/place.js";
import type { RecordProfile } from "../../profile/profile.js";

type JsonSchema = Readonly<Record<string, unknown>>;

/** Longer field names count as left out, in UTF-16 units. */
const MAX_NAME_CHARACTERS = 64;

/**
 * JSON Schema of one record line, with at most so many fields. Every line is valid against it when the profile is
 * complete; one from a sample says so in `$comment` and names no required fields.
 */
export function lineSchema(profile: RecordProfile, maxFields: number): JsonSchema {
  const { complete, sampledCount, recordCount, root, lacksFields } = profile;
  let left = maxFields;
  const schemaOf = (node: Place): JsonSchema => {
    // Every integer is a number, so a field that had both needs only the wider type.
    const types = node.types.filter((type) => type !== "integer" || !node.types.includes("number"));
    const shown = node.fields.filter((field) => {
      const fits = field.key.length <= MAX_NAME_CHARACTERS && left > 0;
      left = fits ? left - 1 : Math.min(left, 0) - 1;
      return fits;
    });
    const required = shown.filter((field) => complete && field.count === node.count);
    const properties = shown.map((field) => [field.key, schemaOf(field)] as const);
    const { items } = node;
    return {
      ...(types.length > 0 && { type: types.length === 1 ? types[0] : types }),
      ...(properties.length > 0 && { properties: Object.fromEntries<JsonSchema>(properties) }),
      ...(node.members && { additionalProperties: schemaOf(node.members) }),
      ...(required.length > 0 && { required: required.map(({ key }) => key) }),
      ...(items !== undefined && items.count > 0 && { items: schemaOf(items) }),
    };
  };
  const schema = schemaOf(root);
  const comments = [
    ...(complete ? [] : [`from ${sampledCount} of ${recordCount} records`]),
    ...(left < 0 || lacksFields ? ["more fields exist"] : []),
  ];
  return comments.length === 0 ? schema : { ...schema, $comment: comments.join("; ") };
}
