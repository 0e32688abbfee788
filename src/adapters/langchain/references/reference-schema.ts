import { toJsonSchema } from "@langchain/core/utils/json_schema";

import { REFERENCE_NOTE } from "../../../describe/references.js";
import { fieldOf } from "../../../util/field-of.js";
import { isRecord } from "../../../util/is-record.js";

/** What a model is shown of a tool. */
export interface ShownTool extends Readonly<Record<string, unknown>> {
  readonly name: string;
  readonly description: string;
  /** JSON schema. */
  readonly schema: Readonly<Record<string, unknown>>;
}

/** What providers' packages look at beside name, description and schema: deferred loading, cache control, custom tools. */
const PROVIDER_PROPERTIES = ["extras", "metadata"] as const;

/**
 * A tool as a model is shown it when some of its arguments may be references: the same but for these parameters, which
 * take an object too and say so. Providers check the names of a schema's properties, and some allow no `$`; so the
 * form is told in words, and what a model passes is checked when it comes.
 *
 * @param parameters - Names that the schema lacks are passed over.
 */
export function withReferenceSchema(tool: object, parameters: readonly string[]): ShownTool {
  const [name, description]: unknown[] = ["name", "description"].map((key): unknown =>
    fieldOf(tool, key),
  );
  const schema: Record<string, unknown> = { ...jsonSchemaOf(fieldOf(tool, "schema")) };
  const { properties } = schema;
  const widened = Object.entries(isRecord(properties) ? properties : {}).map(([parameter, own]) => [
    parameter,
    parameters.includes(parameter) ? takingReferences(own) : own,
  ]);
  return {
    ...forProviders(tool),
    name: String(name),
    description: typeof description === "string" ? description : "",
    schema: isRecord(properties) ? { ...schema, properties: Object.fromEntries(widened) } : schema,
  };
}

function takingReferences(schema: unknown): object {
  const { description, ...own } = isRecord(schema) ? schema : {};
  const told =
    typeof description === "string" ? `${description} ${REFERENCE_NOTE}` : REFERENCE_NOTE;
  const takesObjects = Object.keys(own).length === 0 || own["type"] === "object";
  return { ...(takesObjects ? own : { anyOf: [own, { type: "object" }] }), description: told };
}

function forProviders(tool: object): Readonly<Record<string, unknown>> {
  const found = PROVIDER_PROPERTIES.map((key) => [key, fieldOf(tool, key)] as const);
  return Object.fromEntries(found.filter(([, value]) => value !== undefined));
}

/** JSON schema of a tool's arguments, whichever kind of schema the tool was made with. */
export function jsonSchemaOf(schema: unknown): Readonly<Record<string, unknown>> {
  const known = typeof schema === "object" && schema !== null ? schema : { type: "object" };
  return { ...toJsonSchema(known) };
}
