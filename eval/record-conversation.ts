import { AIMessage, type BaseMessage } from "@langchain/core/messages";

import type { RecordedMessage } from "./sample.js";

/** Of a tool's output so much is recorded, in characters; it is made anew from the seed. */
const MAX_TOOL_CHARACTERS = 1_000;

/** The messages of a conversation as they are recorded. */
export function recordConversation(messages: readonly BaseMessage[]): RecordedMessage[] {
  return messages.map((message) => {
    const { text } = message;
    const isLong = message.type === "tool" && text.length > MAX_TOOL_CHARACTERS;
    const calls = AIMessage.isInstance(message) ? (message.tool_calls ?? []) : [];
    return {
      role: message.type,
      text: isLong ? text.slice(0, MAX_TOOL_CHARACTERS) : text,
      ...(isLong && { characters: text.length }),
      ...(calls.length > 0 && { toolCalls: calls.map(({ name, args }) => ({ name, args })) }),
    };
  });
}

/** How many of the records appear with their id in what tools have answered. */
export function countSeen(messages: readonly BaseMessage[], ids: ReadonlySet<string>): number {
  const seen = new Set<string>();
  for (const message of messages) {
    if (message.type !== "tool") continue;
    for (const [word] of message.text.matchAll(/[\w-]{8,}/g)) if (ids.has(word)) seen.add(word);
  }
  return seen.size;
}
