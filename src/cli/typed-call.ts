import { unwrapped } from "../core/drill-in/arguments.js";
import { isRecord } from "../util/is-record.js";

/** A tool as far as a typed call has to know it. */
export interface CallableTool {
  readonly name: string;
  /** JSON Schema of the arguments: the first that must be there says the output. */
  readonly parameters: object;
}

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
export function typedCall(
  line: string,
  tools: readonly CallableTool[],
  id: string | undefined,
): TypedCall {
  const typed = line.trim();
  const [word = ""] = /^\S*/.exec(typed) ?? [];
  const rest = typed.slice(word.length).trim();
  const similar = tools.filter(({ name }) => name.split("_").includes(word));
  const tool =
    tools.find(({ name }) => name === word) ?? (similar.length === 1 ? similar[0] : undefined);
  if (tool === undefined) {
    const names = tools.map(({ name }) => name).join(", ");
    return { problem: `There is no tool ${JSON.stringify(word)}. The tools: ${names}.` };
  }
  const args = unwrapped(rest);
  if (isRecord(args)) return { tool: tool.name, args };
  const required: unknown = Reflect.get(tool.parameters, "required");
  const [idName, mainName] = Array.isArray(required) ? required.map(String) : [];
  if (rest !== "" && mainName === undefined)
    return { problem: `After ${tool.name} come its arguments as a JSON object.` };
  if (rest === "" && mainName !== undefined) return { problem: `${mainName} is missing.` };
  const place = idName === undefined || id === undefined ? {} : { [idName]: id };
  return { tool: tool.name, args: mainName === undefined ? place : { ...place, [mainName]: rest } };
}
