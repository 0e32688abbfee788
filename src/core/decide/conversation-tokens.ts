import type { ConversationSize, TextCounter } from "../types/output.js";

/** Tokens of a conversation, counted as outputs are where they can be; `undefined` when nobody knows. */
export async function conversationTokens(
  conversation: ConversationSize | undefined,
  counter: TextCounter,
): Promise<number | undefined> {
  return conversation?.countedBy === undefined
    ? conversation?.tokens
    : await conversation.countedBy(counter);
}
