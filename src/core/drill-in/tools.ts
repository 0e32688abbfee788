import type { StoredArtifact } from "../types/artifact.js";
import { parsedJson } from "../content/value/any-json.js";
import { z } from "zod";
import { recordOf } from "../../util/as-kind.js";
import type { JsonObject } from "../../util/is-record.js";

/** A drill-in tool as a model sees it. */
export interface DrillInToolDefinition {
  /** Its name in options. An agent may know it by another name. */
  readonly key: string;
  /** The agent's name for it, unless options say otherwise. @defaultValue `{key}_tool_output` */
  readonly name?: string;
  readonly description: string;
  /** Lenient: numbers and booleans may be strings, and `null` means absent. It returns normalized values. */
  readonly schema: z.ZodObject;
  /**
   * `schema` and further arguments, which no model is shown. An answer names only those that the call had.
   *
   * @defaultValue `schema`
   */
  readonly understood?: z.ZodObject;
}

const id = z.string().describe("file_path or id");

/**
 * Shown with one type, but accepts other spellings: `z.number()` refuses `"200"` and `null`, its coercion takes
 * `null` for 0, and a union would cost tokens in each turn.
 */
function lenient(
  type: "integer" | "boolean" | "object",
  description: string | undefined,
  meant: (value: unknown) => unknown,
): z.ZodType {
  return z
    .unknown()
    .transform((value, context) => {
      if (value === undefined || value === null || value === "") return undefined;
      const understood = meant(value);
      if (understood === undefined)
        context.addIssue({ code: "custom", message: `expected ${type}` });
      return understood;
    })
    .optional()
    .meta({ type, description });
}

export function whole(description?: string): z.ZodType {
  return lenient("integer", description, (value) => {
    const isNumber = typeof value === "number" || typeof value === "string";
    return isNumber && Number.isSafeInteger(Number(value)) ? Number(value) : undefined;
  });
}

function flag(description?: string): z.ZodType {
  return lenient("boolean", description, (value) => {
    if (typeof value !== "string") return typeof value === "boolean" ? value : undefined;
    const word = value.trim().toLowerCase();
    return word === "true" ? true : word === "false" ? false : undefined;
  });
}

export function variables(description?: string): z.ZodType {
  return lenient("object", description, (value) =>
    recordOf(typeof value === "string" ? parsedJson(value) : value),
  );
}

const max_tokens = whole();

const readSchema = z.object({
  id,
  start_line: whole("From 1; -1 is the last"),
  end_line: whole(),
  start_record: whole(),
  end_record: whole(),
  start_character: whole("Where in a long first line, from 0"),
  max_tokens,
});

const grepSchema = z.object({
  id,
  pattern: z.string(),
  ignore_case: flag(),
  literal: flag(),
  invert: flag(),
  only_matching: flag("Each different match, counted"),
  before: whole("Lines of context"),
  after: whole(),
  start_line: whole(),
  end_line: whole(),
  max_results: whole(),
  skip: whole(),
  max_tokens,
});

const jqSchema = z.object({
  id,
  filter: z.string(),
  slurp: flag("Run once, on the array of all"),
  raw: flag(),
  args: variables('{"x": 1} is $x'),
  with: variables(
    'Other outputs, at most 7: {"b": id} is $b, an array of records or lines, or a document',
  ),
  skip: whole(),
  limit: whole(),
  max_tokens,
});

const sqlSchema = z.object({
  id,
  query: z.string(),
  with: variables('Other outputs, at most 7: {"b": id} is table b'),
  skip: whole(),
  max_tokens,
});

type CoreTool = DrillInToolDefinition & { readonly key: "read" | "grep" | "jq" | "sql" };

/** In the order in which a model sees them. */
export const CORE_TOOLS: readonly CoreTool[] = [
  {
    key: "read",
    description: "Read a stored tool output, or part of it by lines or records.",
    schema: readSchema,
    understood: readSchema.extend({ start: whole(), end: whole() }),
  },
  {
    key: "grep",
    description:
      "Search lines of a stored tool output by RE2 regular expression. All matches are counted.",
    schema: grepSchema,
    understood: grepSchema.extend({ count_only: flag() }),
  },
  {
    key: "jq",
    description:
      "Run a jq filter on a stored tool output: on each record, each line of text as a string, or one document.",
    schema: jqSchema,
    understood: jqSchema.extend({ compact: flag() }),
  },
  {
    key: "sql",
    description:
      "Run a DuckDB SELECT on a stored tool output. The table is named output: the records, or line and text of each line. Several sets are a table each.",
    schema: sqlSchema,
  },
];

/** As JSON Schema, without members that mean nothing to a model. */
export function shownParameters(schema: z.ZodObject): JsonObject {
  const json = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  const { $schema: _, additionalProperties: __, ...parameters } = json;
  return parameters;
}

export type StatedArguments = JsonObject;

/** A drill-in with its own arguments, or the sweep. */
interface ShapedCall {
  readonly tool: string;
  readonly args: JsonObject;
}

/** A drill-in under another name and with other arguments. */
export interface ToolShape {
  readonly tool: string;
  readonly name: string;
  readonly description: string;
  /** Lenient; the drill-in checks what it lets pass. */
  readonly schema: z.ZodObject;
  /** Largest answer that a call can ask for, if larger than the agent's. */
  readonly maxTokens?: number | undefined;
  /** This tool's argument names by those of the drill-in; others are the same. */
  readonly names: Readonly<Record<string, string>>;
  /** Translates a call of this tool into one of the drill-in. Never throws. */
  readonly call: (args: unknown) => ShapedCall;
  /** Translates arguments of the drill-in into those of this tool. */
  readonly state: (
    args: StatedArguments,
    artifact: Pick<StoredArtifact, "fileName">,
  ) => StatedArguments;
}

/** Options of {@link toolShape}. */
export interface ToolShapeOptions {
  readonly tool: string;
  readonly name: string;
  readonly description: string;
  readonly fields: Readonly<Record<string, z.ZodType>>;
  readonly names?: Readonly<Record<string, string>>;
  /** Longest answer in tokens that a call can ask for. @defaultValue four times `drillIn.maxAnswerTokens` */
  readonly maxTokens?: number;
  /** Changes the renamed arguments, for example to set a default or invert a flag. */
  readonly adapt?: (args: StatedArguments) => StatedArguments;
  /** The reverse of `adapt`, for calls that an answer states. */
  readonly restate?: ToolShape["state"];
}

/**
 * Makes a tool shape. The drill-in's other arguments are understood too. An answer names only those that the call had.
 */
export function toolShape(options: ToolShapeOptions): ToolShape {
  const { tool, name, description, fields, names = {}, maxTokens } = options;
  const { adapt = (args) => args, restate = (args) => args } = options;
  const own = new Map(Object.entries(names).map(([ours, theirs]) => [theirs, ours]));
  return {
    tool,
    name,
    description,
    schema: z.looseObject(fields),
    names,
    maxTokens,
    call: (args) => ({
      tool,
      args: adapt(
        Object.fromEntries(
          Object.entries(recordOf(args) ?? {}).map(([key, value]) => [own.get(key) ?? key, value]),
        ),
      ),
    }),
    state: (args, artifact) =>
      Object.fromEntries(
        Object.entries(restate(args, artifact)).map(([key, value]) => [names[key] ?? key, value]),
      ),
  };
}
