import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";

import { isRecord } from "../../../../util/is-record.js";

/** A tool call of the conversation. */
export interface KnownCall {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/**
 * The calls that the results of a conversation answer: each the last one of its id before it, since ids may come again.
 * None where a message has several calls of that id.
 */
export function answeredCalls(
  messages: readonly BaseMessage[],
): ReadonlyMap<BaseMessage, KnownCall> {
  const latest = new Map<string, KnownCall | undefined>();
  const answered = new Map<BaseMessage, KnownCall>();
  for (const message of messages) {
    if (AIMessage.isInstance(message)) {
      const seen = new Set<string>();
      for (const { id, name, args } of message.tool_calls ?? []) {
        if (id === undefined) continue;
        latest.set(id, seen.has(id) ? undefined : { name, args: isRecord(args) ? args : {} });
        seen.add(id);
      }
    } else if (ToolMessage.isInstance(message)) {
      const call = latest.get(message.tool_call_id);
      if (call !== undefined) answered.set(message, call);
    }
  }
  return answered;
}
