import type { StoredArtifact } from "../../../core/types/artifact.js";
import type { AskTool } from "../../wire.js";

/** What stands in the field before anything is typed: a question that this output can answer. */
export function firstQuestion(tool: AskTool, artifact: StoredArtifact): string {
  const { id, layout, sets = [], fields } = artifact;
  const isList = layout === "records" || layout === "rows";
  if (tool === "jq")
    return isList ? "." : layout === "document" && sets.length === 0 ? "keys" : ".";
  if (tool === "grep") return fields[0] ?? ".";
  if (tool === "sql") return `SELECT * FROM ${sets[0]?.table ?? "output"} LIMIT 5`;
  if (tool === "code") return `return outputs.lines(${JSON.stringify(id)}).take(3);`;
  return '{"start_line": 1, "end_line": 20}';
}

/**
 * The arguments of a call. A question that is a JSON object is taken as the arguments themselves.
 *
 * @throws Error when reading is asked for by anything else.
 */
export function argumentsOf(
  tool: AskTool,
  text: string,
  slurp: boolean,
): Readonly<Record<string, unknown>> {
  if (tool === "jq") return { filter: text, ...(slurp && { slurp }) };
  if (tool === "sql") return { query: text };
  if (tool === "code") return { code: text };
  const given = objectIn(text);
  if (given !== undefined) return given;
  if (tool === "grep") return { pattern: text };
  throw new Error('Reading takes arguments as JSON, such as {"start_line": 1, "end_line": 20}.');
}

/** The object that a text is as JSON; `undefined` for any other text. */
export function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? { ...value }
      : undefined;
  } catch {
    return undefined;
  }
}
