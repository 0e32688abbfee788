import type { Offloader } from "../../../core/pipeline/create-offloader.js";
import { ownToolNames } from "../../../core/options/tools.js";
import { fieldOf } from "../../../util/field-of.js";
import { isRecord } from "../../../util/is-record.js";
import {
  isStrict,
  jsonSchemaOf,
  type ShownTool,
  withReferenceSchema,
} from "../references/reference-schema.js";

/** The argument that an agent's tools have for gates, and none of them gets. */
export interface CallArguments {
  /** The tools with the argument: the same in every call, so that prompt caches stay warm. */
  shown<Tool extends object>(tools: readonly Tool[]): readonly (Tool | ShownTool)[];
  /** The arguments for the tool itself: without it, unless the tool is known to have one of that name. */
  without<Args>(args: Args, called: { readonly tool: unknown }): Args | Record<string, unknown>;
}

/** What makes of a schema more than one plain object. */
const BRANCHES = ["anyOf", "oneOf", "allOf", "$ref"];

/**
 * The argument of one agent's tools; `undefined` where the options name none. Tools that have one of that name themselves, or
 * take no plain object, stay as they are, and so do those whose provider holds a model to their schema.
 */
export function createCallArguments(offloader: Offloader): CallArguments | undefined {
  const { callArgument } = offloader.options;
  if (callArgument === undefined) return undefined;
  const { name, description } = callArgument;
  const ownTools = new Set(ownToolNames(offloader.options));
  const shownAs = new WeakMap<object, ShownTool | "same">();

  function show(tool: object): ShownTool | "same" {
    const toolName = fieldOf(tool, "name");
    if (typeof toolName !== "string" || "type" in tool || ownTools.has(toolName)) return "same";
    if (!lacks(tool, name) || isStrict(tool)) return "same";
    const { schema, ...shown } = withReferenceSchema(tool, new Map());
    const argument = { type: "integer", description };
    const properties = Object.assign({}, schema["properties"], { [name]: argument });
    return { ...shown, schema: { ...schema, properties } };
  }

  return {
    shown: (tools) =>
      tools.map((tool) => {
        const as = shownAs.get(tool) ?? show(tool);
        shownAs.set(tool, as);
        return as === "same" ? tool : as;
      }),
    without(args, { tool }) {
      if (!isRecord(args) || !Object.hasOwn(args, name)) return args;
      if (tool !== undefined && !lacks(tool, name)) return args;
      const { [name]: _taken, ...rest } = args;
      return rest;
    },
  };
}

/** Whether a tool takes one plain object, in which there is no such parameter. */
function lacks(tool: unknown, name: string): boolean {
  try {
    const schema = jsonSchemaOf(fieldOf(tool, "schema"));
    if (schema["type"] !== "object" || BRANCHES.some((key) => key in schema)) return false;
    const { properties } = schema;
    return !isRecord(properties) || !Object.hasOwn(properties, name);
  } catch {
    // A schema that cannot be told as JSON.
    return false;
  }
}
