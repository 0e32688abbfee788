import { AIMessage } from "@langchain/core/messages";

import { fieldOf } from "../../../util/field-of.js";
import { keepLatest } from "../../../util/keep-latest.js";

/** A call of a tool, in its conversation. */
interface CallInSession {
  readonly sessionId: string | undefined;
  readonly toolCallId: string | undefined;
}

/**
 * The tools among which a model chose when it made a call. Agents that share a middleware may have other tools by the same names,
 * so they are known for that very call alone, and for no call that another process made.
 */
export interface ToolsOfCalls {
  /** Notes the tools of a model call for the tool calls of its answer. */
  note(answer: unknown, sessionId: string | undefined, tools: readonly object[]): void;
  /** The tool of that name, or `undefined`. */
  find(call: CallInSession, name: string): object | undefined;
}

/** Calls that wait for a person may wait long; of more than this the oldest are forgotten. */
const MAX_CALLS = 1_000;

/** Notes of one agent, or of several that share a middleware. */
export function createToolsOfCalls(): ToolsOfCalls {
  const toolsByCall = new Map<string, readonly object[]>();
  return {
    note(answer, sessionId, tools) {
      if (!AIMessage.isInstance(answer)) return;
      for (const { id } of answer.tool_calls ?? []) {
        keepLatest(toolsByCall, keyOf({ sessionId, toolCallId: id }), tools, MAX_CALLS);
      }
    },
    find(call, name) {
      if (toolsByCall.size === 0) return undefined;
      return toolsByCall.get(keyOf(call))?.find((tool) => fieldOf(tool, "name") === name);
    },
  };
}

function keyOf({ sessionId, toolCallId }: CallInSession): string {
  return JSON.stringify([sessionId, toolCallId]);
}
