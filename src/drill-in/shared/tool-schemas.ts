import { z } from "zod";
import { isRecord } from "../../util/is-record.js";

/** The drill-in tools by what they do; an agent may know them by other names. */
export type DrillInTool = "read" | "grep" | "jq" | "sql" | "extract";

/** What a model is told about one drill-in tool. */
export interface DrillInToolDefinition {
  readonly key: DrillInTool;
  readonly defaultName: string;
  readonly description: string;
  /** Lenient: numbers and booleans may be strings, and `null` stands for absence. */
  readonly schema: z.ZodObject;
}

const id = z.string().describe("Id, file name or file_path of the stored output");

/**
 * A field that a model is told is of one type while what it means is taken in other spellings too.
 * Plain `z.number()` and its coercion either refuse `"200"` and `null` or take `null` for 0, and a
 * union of all spellings would cost the model tokens in every turn.
 */
function lenient(
  type: "integer" | "boolean" | "object",
  description: string,
  isUnderstood: (value: unknown) => boolean,
): z.ZodType {
  return z
    .unknown()
    .refine(
      (value) => value === undefined || value === null || value === "" || isUnderstood(value),
      {
        error: `expected ${type}`,
      },
    )
    .optional()
    .meta({ type, description });
}

function isWholeNumber(value: unknown): boolean {
  return (
    (typeof value === "number" || typeof value === "string") && Number.isSafeInteger(Number(value))
  );
}

function whole(description: string): z.ZodType {
  return lenient("integer", description, isWholeNumber);
}

function flag(description: string): z.ZodType {
  const spelling = /^\s*(?:true|false)\s*$/i;
  const isFlag = (value: unknown): boolean => typeof value === "string" && spelling.test(value);
  return lenient("boolean", description, (value) => typeof value === "boolean" || isFlag(value));
}

function isObjectText(value: unknown): boolean {
  if (typeof value !== "string") return false;
  try {
    return isRecord(JSON.parse(value));
  } catch {
    return false;
  }
}

function variables(description: string): z.ZodType {
  return lenient("object", description, (value) => isRecord(value) || isObjectText(value));
}

const max_tokens = whole("Tokens of the answer; default 2000, most 8000");

/** Of a tool that takes several. */
const firstId = z
  .string({ error: 'expected one id; further outputs go in with: {"b": "<id>"}' })
  .describe("Id, file name or file_path of the stored output");

const readSchema = z.object({
  id,
  start_line: whole("First line, from 1, inclusive; -1 is the last line"),
  end_line: whole("Last line, inclusive; -1 is the last line"),
  start: whole("First character, from 0, inclusive; negative counts from the end"),
  end: whole("Character to stop before, exclusive; negative counts from the end"),
  start_record: whole("First record, from 1, inclusive; -1 is the last record"),
  end_record: whole("Last record, inclusive"),
  start_character: whole("Characters to skip in the first line or record; for long lines"),
  max_tokens,
});

const grepSchema = z.object({
  id,
  pattern: z.string().describe("Regular expression (RE2: no lookaround, no backreferences)"),
  ignore_case: flag("Default false"),
  literal: flag("Take the pattern as plain text; default false"),
  before: whole("Lines before each hit"),
  after: whole("Lines after each hit"),
  start_line: whole("First line searched"),
  end_line: whole("Last line searched"),
  only_matching: flag("The matches themselves, each different one once with its count"),
  max_results: whole("Most hits"),
  skip: whole("Hits to skip"),
  last: whole("Only the last N hits"),
  count_only: flag("Only count"),
  invert: flag("Lines that do not match"),
  max_tokens,
});

const jqSchema = z.object({
  id: firstId,
  filter: z
    .string()
    .describe("jq filter only, no shell; runs on each record, or on the whole document"),
  raw: flag("Print strings without quotes; default false"),
  compact: flag("One result a line; default true"),
  slurp: flag("Run once on all records as one array"),
  args: variables('jq variables by name: {"x": 1} is $x'),
  skip: whole("Results to skip"),
  limit: whole("Most results"),
  with: variables('More outputs by name: {"b": id} is $b, all its records'),
  max_tokens,
});

const sqlSchema = z.object({
  id: firstId,
  query: z
    .string()
    .describe("One SELECT (DuckDB) over the table output; its columns are the records' fields"),
  with: variables('More outputs to join, by name: {"b": id} is table b'),
  max_tokens,
});

const extractSchema = z.object({
  file_path: z.string().describe("file_path of the stored output"),
  recipe: whole("Number of a recipe of the descriptor, from 1; not with query"),
  query: z
    .unknown()
    .refine((value) => typeof (value ?? "") === "string", { error: "expected string" })
    .optional()
    .meta({ type: "string", description: "jq filter over the records; not with recipe" }),
  params: variables('Values for the recipe, such as {"keyword": "caching"}'),
  skip: whole("Results to skip"),
  max_tokens,
});

/** The drill-in tools in the order in which a model sees them. */
export const DRILL_IN_TOOLS: readonly DrillInToolDefinition[] = [
  {
    key: "read",
    defaultName: "read_tool_output",
    description:
      "Read part of a stored tool output by lines, characters or records. The answer says where it stands and the exact next call.",
    schema: readSchema,
  },
  {
    key: "grep",
    defaultName: "grep_tool_output",
    description:
      "Search the lines of a stored tool output. Hits are `number:text`, context `number-text`; the total is always stated.",
    schema: grepSchema,
  },
  {
    key: "jq",
    defaultName: "jq_tool_output",
    description:
      "Run a jq filter over a stored tool output. It sees one record at a time; use slurp, or `inputs`, to see all.",
    schema: jqSchema,
  },
  {
    key: "sql",
    defaultName: "sql_tool_output",
    description:
      "Run one SQL SELECT over the records of a stored tool output: counts, groups, joins, top N. The table is called output.",
    schema: sqlSchema,
  },
  {
    key: "extract",
    defaultName: "lro_extract",
    description: "Extract from an offloaded result by a recipe of its descriptor or by a jq query.",
    schema: extractSchema,
  },
];
