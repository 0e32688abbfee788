import { type BaseMessage, isBaseMessage } from "@langchain/core/messages";

/** The messages of a graph's state, which is a list of them or an object with `messages`. */
export function messagesOf(state: unknown): readonly BaseMessage[] {
  return listIn(state).filter((message) => isBaseMessage(message));
}

/** The same, of which nobody has looked at each: a long conversation costs no more than a short one. */
export function listIn(state: unknown): readonly unknown[] {
  const messages: unknown =
    typeof state === "object" && state !== null && "messages" in state ? state.messages : state;
  return Array.isArray(messages) ? messages : [];
}
