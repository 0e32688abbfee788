import { z } from "zod";

import { type ToolShape, toolShape } from "../core/drill-in/tool-shape.js";

/**
 * A field that the model is told is of one type; other spellings pass, for the drill-in to understand or
 * refuse.
 */
function lenient(type: "integer" | "boolean", description: string): z.ZodType {
  return z.unknown().optional().meta({ type, description });
}

/** A number or a truth value as text is no longer; the arguments come unchecked. */
const MAX_SPELLING_CHARACTERS = 64;
/** Of Chinese that a tokenizer knows badly. */
const TOKENS_PER_CHARACTER = 2;
/** For what stands around a range. */
const FRAME_TOKENS = 200;
/** A range of 10,000 characters, of any common script, in one answer. @source mcpagent, Context Offloading, Pattern 1. */
const MAX_RANGE_TOKENS = 20_200;

const filename = z.string().describe("Exact filename from the summary message");

/**
 * `read_large_output`, `search_large_output` and `query_large_output`. Characters count from 0 and `end` is
 * exclusive; a search without `case_sensitive` is case-sensitive; JSON is printed on several lines unless
 * `compact`.
 *
 * @source mcpagent, Context Offloading, Virtual Tools.
 */
export function largeOutputTools(): readonly ToolShape[] {
  const names = { id: "filename" };
  return [
    toolShape({
      tool: "read",
      name: "read_large_output",
      description: "Read a range of characters of a saved tool output.",
      names,
      maxTokens: MAX_RANGE_TOKENS,
      fields: {
        filename,
        start: lenient("integer", "Starting character position, from 0"),
        end: lenient("integer", "Ending character position, exclusive"),
      },
      adapt: wholeRange,
      restate: (args, { fileName }) => ({ ...args, id: fileName }),
    }),
    toolShape({
      tool: "grep",
      name: "search_large_output",
      description: "Search for a regular expression in a saved tool output.",
      names,
      fields: {
        filename,
        pattern: z.string().describe("Regex pattern (RE2: no lookaround, no backreferences)"),
        case_sensitive: lenient("boolean", "Default true"),
        max_results: lenient("integer", "Maximum number of results"),
      },
      adapt: ({ case_sensitive: caseSensitive, ...args }) =>
        isFalse(caseSensitive) ? { ...args, ignore_case: true } : args,
      restate: ({ ignore_case: ignoreCase, ...args }, { fileName }) => ({
        ...args,
        id: fileName,
        ...(ignoreCase === true && { case_sensitive: false }),
      }),
    }),
    toolShape({
      tool: "jq",
      name: "query_large_output",
      description: "Run a jq query on a saved JSON tool output.",
      names: { ...names, filter: "query" },
      fields: {
        filename,
        query: z.string().describe("jq query expression"),
        compact: lenient("boolean", "Compact JSON; default false"),
        raw: lenient("boolean", "Raw strings, not JSON-encoded; default false"),
      },
      adapt: (args) => ({ ...args, compact: args["compact"] ?? false }),
      restate: (args, { fileName }) => ({
        ...args,
        id: fileName,
        compact: args["compact"] ?? true,
      }),
    }),
  ];
}

/**
 * `artifact_read`, `artifact_grep` and `artifact_jq`.
 *
 * @source Vectara, Tool-output offloading, What the agent sees; it names no other arguments than `start_line` and `end_line`, and does
 * not say how an answer goes on: what that takes is an argument here.
 */
export function artifactTools(): readonly ToolShape[] {
  const names = { id: "artifact_id" };
  const maxTokens = lenient("integer", "Tokens of the answer");
  const artifactId = z.string().describe("artifact_id of the envelope");
  return [
    toolShape({
      tool: "read",
      name: "artifact_read",
      description: "Read an artifact's full content or a line range.",
      names,
      fields: {
        artifact_id: artifactId,
        start_line: lenient("integer", "First line, from 1, inclusive"),
        end_line: lenient("integer", "Last line, inclusive"),
        start_character: lenient("integer", "Characters to skip in the first line"),
        max_tokens: maxTokens,
      },
    }),
    toolShape({
      tool: "grep",
      name: "artifact_grep",
      description: "Search an artifact for a pattern.",
      names,
      fields: {
        artifact_id: artifactId,
        pattern: z.string().describe("Regular expression (RE2)"),
        ignore_case: lenient("boolean", "Default false"),
        max_results: lenient("integer", "Most hits to show"),
        skip: lenient("integer", "Hits to skip"),
        max_tokens: maxTokens,
      },
    }),
    toolShape({
      tool: "jq",
      name: "artifact_jq",
      description: "Query a JSON artifact with a jq expression.",
      names,
      fields: {
        artifact_id: artifactId,
        filter: z.string().describe("jq expression"),
        skip: lenient("integer", "Results to skip"),
        max_tokens: maxTokens,
      },
    }),
  ];
}

/**
 * `cleanup_temp_files`: sweeps what has expired.
 *
 * @source meta-cc ADR-004, Temporary File Management.
 */
export function cleanupTool(): ToolShape {
  return toolShape({
    tool: "cleanup",
    name: "cleanup_temp_files",
    description: "Delete stored outputs that are past their retention.",
    fields: {},
  });
}

/** Who states a range asks for all of it. */
function wholeRange(args: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const [start, end] = [args["start"], args["end"]].map((place) => numberIn(place) || 0);
  const characters = (end ?? 0) - (start ?? 0);
  return characters > 0
    ? { max_tokens: characters * TOKENS_PER_CHARACTER + FRAME_TOKENS, ...args }
    : args;
}

/** What a number, or a short text, says; 0 for a text that is no number. */
function numberIn(place: unknown): number | undefined {
  if (typeof place === "string" && place.length <= MAX_SPELLING_CHARACTERS)
    return Number(place) || 0;
  return typeof place === "number" ? place : undefined;
}

function isFalse(value: unknown): boolean {
  if (typeof value !== "string") return value === false;
  return value.length <= MAX_SPELLING_CHARACTERS && value.trim().toLowerCase() === "false";
}
