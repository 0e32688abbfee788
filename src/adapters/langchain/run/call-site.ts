import { ensureConfig } from "@langchain/core/runnables";

import { fieldOf } from "../../../util/field-of.js";
import { isRecord } from "../../../util/is-record.js";

/** Where a hook, a node or a tool runs, as it is told. */
export interface RunSite {
  readonly configurable?: Readonly<Record<string, unknown>> | undefined;
  readonly context?: unknown;
  /** The state of the graph: messages, or an object with them. */
  readonly state?: unknown;
  readonly signal?: AbortSignal | undefined;
  /** Of LangGraph's custom stream. */
  readonly writer?: unknown;
}

/** Where a tool is called, and with what. */
export interface CallSite extends RunSite {
  /** `undefined` where only the message of its output is known. */
  readonly tool: unknown;
  readonly toolName: string;
  /** What the model passed, unchecked. */
  readonly args: unknown;
  readonly toolCallId: string | undefined;
}

/**
 * The site of a tool that was called with this config.
 *
 * @param args - The arguments alone.
 */
export function siteOfTool(
  tool: { readonly name: string },
  args: unknown,
  config: unknown,
): CallSite {
  const given = isRecord(config) ? config : {};
  const { configurable, context, toolCall, state, signal } = given;
  // A tool that is called by another one without a config runs where that one does.
  const run = isRecord(configurable) ? { ...given, configurable } : ensureConfig();
  const id = fieldOf(toolCall, "id");
  return {
    configurable: run.configurable,
    context,
    state,
    signal: signal instanceof AbortSignal ? signal : undefined,
    writer: fieldOf(run, "writer"),
    tool,
    toolName: tool.name,
    args,
    toolCallId: typeof id === "string" ? id : undefined,
  };
}
