import type { CallableTool } from "../../seat/seat.js";
import { isRecord } from "../../util/is-record.js";
import { nearestNames } from "../../util/nearest-names.js";

/** What a line means. */
export type TypedCall =
  | { readonly tool: string; readonly args: Readonly<Record<string, unknown>> }
  | { readonly problem: string };

/**
 * Understands a typed call: `jq_tool_output {"id": "…", "filter": "length"}` as a model makes it, or short, as
 * `jq length`: a word of the tool's name, and what the first output is asked.
 *
 * @param id - The output that a short call means.
 */
export function parseCall(
  line: string,
  tools: readonly CallableTool[],
  id: string | undefined,
): TypedCall {
  const [word = ""] = /^\S*/.exec(line.trim()) ?? [];
  const rest = line.trim().slice(word.length).trim();
  const tool = toolOf(word, tools);
  if (tool === undefined) return { problem: unknownTool(word, tools) };
  const args = objectIn(rest);
  if (args !== undefined) return { tool: tool.name, args };
  const [idName, mainName] = tool.required;
  if (rest !== "" && mainName === undefined) {
    return { problem: `After ${tool.name} come its arguments as a JSON object.` };
  }
  if (rest === "" && mainName !== undefined) return { problem: `${mainName} is missing.` };
  const place = idName === undefined || id === undefined ? {} : { [idName]: id };
  return {
    tool: tool.name,
    args: { ...place, ...(mainName !== undefined && { [mainName]: rest }) },
  };
}

/** By its name, or by a word of it that no other tool's name has. */
function toolOf(word: string, tools: readonly CallableTool[]): CallableTool | undefined {
  const exact = tools.find(({ name }) => name === word);
  const similar = tools.filter(({ name }) => name.split("_").includes(word));
  return exact ?? (similar.length === 1 ? similar[0] : undefined);
}

function unknownTool(word: string, tools: readonly CallableTool[]): string {
  const names = tools.map(({ name }) => name);
  const [nearest] = nearestNames(word, names);
  const hint =
    nearest === undefined ? `The tools: ${names.join(", ")}.` : `Did you mean ${nearest}?`;
  return `There is no tool ${JSON.stringify(word)}. ${hint}`;
}

function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
