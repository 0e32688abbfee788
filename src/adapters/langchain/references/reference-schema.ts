import { toJsonSchema } from "@langchain/core/utils/json_schema";

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
 * @param notes - What is said of each parameter, by its name. Names that the schema lacks are passed over.
 */
export function withReferenceSchema(tool: object, notes: ReadonlyMap<string, string>): ShownTool {
  const [name, description]: unknown[] = ["name", "description"].map((key): unknown =>
    fieldOf(tool, key),
  );
  const schema: Record<string, unknown> = { ...jsonSchemaOf(fieldOf(tool, "schema")) };
  const { properties } = schema;
  const widened = Object.entries(isRecord(properties) ? properties : {}).map(([parameter, own]) => [
    parameter,
    takingReferences(own, notes.get(parameter)),
  ]);
  return {
    ...forProviders(tool),
    name: String(name),
    description: typeof description === "string" ? description : "",
    schema: isRecord(properties) ? { ...schema, properties: Object.fromEntries(widened) } : schema,
  };
}

/**
 * Whether a model's arguments for a tool are held to its schema by the provider, which allows only some schemas then: a
 * widened one could be refused.
 */
export function isStrict(tool: object): boolean {
  return fieldOf(tool, "strict") === true || fieldOf(fieldOf(tool, "extras"), "strict") === true;
}

/** Whether it is so for all tools of a call of the model. */
export function isStrictCall(request: object): boolean {
  return (
    fieldOf(fieldOf(request, "modelSettings"), "strict") === true ||
    fieldOf(fieldOf(request, "model"), "supportsStrictToolCalling") === true
  );
}

function takingReferences(schema: unknown, note: string | undefined): unknown {
  if (note === undefined) return schema;
  const { description, ...own } = isRecord(schema) ? schema : {};
  const told = typeof description === "string" ? [asSentence(description), note] : [note];
  const takesObjects = Object.keys(own).length === 0 || own["type"] === "object";
  return {
    ...(takesObjects ? own : { anyOf: [own, { type: "object" }] }),
    description: told.filter((part) => part !== "").join(" "),
  };
}

function asSentence(description: string): string {
  const text = description.trimEnd();
  return text === "" || /[.!?:;]$/.test(text) ? text : `${text}.`;
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
