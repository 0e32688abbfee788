import type { FieldType } from "../profile/field-tally.js";
import { enumOf, type LearnedShape, type LearnedTool } from "./learned-shape.js";

/** The part of JSON Schema 2020-12 that a learned schema has. */
export interface LearnedJsonSchema {
  readonly type?: FieldType | readonly FieldType[];
  readonly properties?: Readonly<Record<string, LearnedJsonSchema>>;
  /** Fields that every record looked at had. */
  readonly required?: readonly string[];
  /** Of objects whose keys are data. */
  readonly additionalProperties?: LearnedJsonSchema;
  readonly items?: LearnedJsonSchema;
  readonly format?: "date" | "date-time";
  readonly enum?: readonly (string | null)[];
}

/** What was learned of a tool's records, and how far it can be trusted. */
export interface LearnedSchema {
  /** Of one record; of an output with several sets, of its largest. */
  readonly schema: LearnedJsonSchema;
  /** Outputs, and records in them. */
  readonly outputs: number;
  readonly records: number;
  /** Records that were looked at: all, or a sample spread over each large output. */
  readonly recordsLookedAt: number;
  /** Whether nothing was left out: every record was looked at, and every field has its place. */
  readonly complete: boolean;
  /** Share of the objects that have a field, of those that not all have: by its keys, joined with `.`. */
  readonly shares: Readonly<Record<string, number>>;
}

/** Which of what was learned is told. */
export interface SchemaView {
  /** Field names that two sessions have had, and no value of the data. */
  readonly sharedOnly: boolean;
}

/** The schema of what was learned. */
export function schemaOfTool(tool: LearnedTool, view: SchemaView): LearnedSchema {
  const shares = new Map<string, number>();
  let lacksFields = false;

  function schemaAt(shape: LearnedShape, path: readonly string[]): LearnedJsonSchema {
    lacksFields ||= shape.lacksFields;
    const types = typesOf(shape);
    const fields = [...shape.fields].filter(([, { isShared }]) => isShared || !view.sharedOnly);
    const required: string[] = [];
    const properties = fields.map(([name, field]): [string, LearnedJsonSchema] => {
      const inner = [...path, name];
      const objects = Math.max(1, shape.count - shape.nulls);
      if (field.count >= objects && types.every((type) => type === "object" || type === "null"))
        required.push(name);
      else
        shares.set(inner.join("."), Math.min(1, Math.round((100 * field.count) / objects) / 100));
      return [name, schemaAt(field, inner)];
    });
    const words = view.sharedOnly ? undefined : enumOf(shape);
    const isText = types.every((type) => type === "string" || type === "null");
    const format = shape.format === "none" || !isText ? undefined : shape.format;
    return {
      ...(types.length > 0 && { type: types.length === 1 ? types[0] : types }),
      ...(properties.length > 0 && { properties: ownProperties(properties) }),
      ...(required.length > 0 && { required }),
      ...(shape.members && { additionalProperties: schemaAt(shape.members, [...path, "*"]) }),
      ...(shape.items && { items: schemaAt(shape.items, [...path, "[]"]) }),
      ...(format && { format }),
      ...(words && isText && { enum: [...words, ...(types.includes("null") ? [null] : [])] }),
    };
  }

  const schema = schemaAt(tool.root, []);
  return {
    schema,
    outputs: tool.outputs,
    records: tool.records,
    recordsLookedAt: tool.looked,
    complete: tool.complete && !lacksFields,
    shares: ownProperties([...shares]),
  };
}

/** A key such as `__proto__` is a field like any other. */
function ownProperties<Value>(entries: readonly [string, Value][]): Record<string, Value> {
  return Object.fromEntries(entries);
}

/** A whole number is a number. */
function typesOf({ types }: LearnedShape): readonly FieldType[] {
  return [...types].filter((type) => type !== "integer" || !types.has("number")).toSorted();
}
