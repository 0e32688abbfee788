import { toJsonSchema } from "@langchain/core/utils/json_schema";

import {
  REFERENCE_FORM,
  type ReferenceOptions,
  referencesOf,
  type ResolvedReferences,
} from "../../../describe/references.js";

/** What a model is shown of a tool. */
export interface ShownTool extends Readonly<Record<string, unknown>> {
  readonly name: string;
  readonly description: string;
  /** JSON schema. */
  readonly schema: Readonly<Record<string, unknown>>;
}

/** What providers' packages look at beside name, description and schema: deferred loading, cache control, custom tools. */
const PROVIDER_PROPERTIES = ["extras", "metadata"] as const;

interface DeclaredTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly schema: unknown;
}

/**
 * Providers check the names of a schema's properties, and some allow no `$`; so the form is told in
 * words, and what a model passes is checked when it comes.
 */
const REFERENCE_SCHEMA = { type: "object", description: REFERENCE_FORM };

/**
 * A tool as a model is shown it when some of its arguments may be references: the same name, a
 * sentence more, and those parameters widened. A tool without such parameters is shown as it is.
 */
export function withReferenceSchema(
  tool: DeclaredTool,
  { parameters }: ResolvedReferences,
): ShownTool {
  const schema: Record<string, unknown> = { ...jsonSchemaOf(tool.schema) };
  const properties = schema["properties"];
  const { name, description = "" } = tool;
  if (typeof properties !== "object" || properties === null) return { name, description, schema };
  const widened = Object.entries(properties).filter(
    ([parameter]) => parameters?.includes(parameter) !== false,
  );
  if (widened.length === 0) return { name, description, schema };
  const names = widened.map(([parameter]) => parameter).join(", ");
  const anyOf = Object.fromEntries(
    widened.map(([parameter, own]) => [parameter, { anyOf: [own, REFERENCE_SCHEMA] }]),
  );
  return {
    name,
    description:
      `${description}\nInstead of data, ${names} may be a reference to a stored output.`.trim(),
    schema: { ...schema, properties: { ...properties, ...anyOf } },
  };
}

/**
 * What to show a model in place of each tool: itself, or its widened form, which is made once and is
 * the same in every call, so that prompt caches stay warm.
 */
export function createShownTools(
  references: ReferenceOptions | undefined,
): <Tool extends object>(tool: Tool) => Tool | ShownTool {
  const widened = new WeakMap<object, ShownTool>();
  return (tool) => {
    const [name, description, schema]: unknown[] = ["name", "description", "schema"].map(
      (key): unknown => Reflect.get(tool, key),
    );
    const own = typeof name === "string" ? referencesOf(references, name) : undefined;
    const isDeclared = typeof schema === "object" && schema !== null;
    if (own === undefined || typeof name !== "string" || !isDeclared) return tool;
    const text = typeof description === "string" ? description : "";
    const shown = widened.get(tool) ?? {
      ...forProviders(tool),
      ...withReferenceSchema({ name, description: text, schema }, own),
    };
    widened.set(tool, shown);
    return shown;
  };
}

function forProviders(tool: object): Readonly<Record<string, unknown>> {
  const found = PROVIDER_PROPERTIES.map((key) => [key, Reflect.get(tool, key) as unknown] as const);
  return Object.fromEntries(found.filter(([, value]) => value !== undefined));
}

/** JSON schema of a tool's arguments, whichever kind of schema the tool was made with. */
export function jsonSchemaOf(schema: unknown): Readonly<Record<string, unknown>> {
  const known = typeof schema === "object" && schema !== null ? schema : { type: "object" };
  return { ...toJsonSchema(known) };
}
