import { isDeepStrictEqual } from "node:util";

import { type BaseMessage, ToolMessage } from "@langchain/core/messages";

/** Tells the messages that a state has, as they are or copied, from those that a tool or a node has made. */
export function knownAmong(messages: readonly BaseMessage[]): (message: ToolMessage) => boolean {
  const answers = new Map<string, ToolMessage[]>();
  for (const message of messages) {
    if (!ToolMessage.isInstance(message)) continue;
    const found = answers.get(message.tool_call_id);
    if (found === undefined) answers.set(message.tool_call_id, [message]);
    else found.push(message);
  }
  return (message) =>
    (answers.get(message.tool_call_id) ?? []).some((answer) => isCopy(message, answer));
}

function isCopy(message: ToolMessage, answer: ToolMessage): boolean {
  if (answer === message) return true;
  const haveIds = message.id !== undefined && answer.id !== undefined;
  return haveIds ? message.id === answer.id : isDeepStrictEqual(answer.content, message.content);
}
