import { type BaseMessage, isBaseMessage } from "@langchain/core/messages";

/** The messages of a graph's state, which is a list of them or an object with `messages`. */
export function messagesOf(state: unknown): readonly BaseMessage[] {
  const messages: unknown =
    typeof state === "object" && state !== null && "messages" in state ? state.messages : state;
  return Array.isArray(messages) ? messages.filter((message) => isBaseMessage(message)) : [];
}
