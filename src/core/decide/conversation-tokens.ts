import type { ConversationSize, TextCounter } from "../types/output.js";

/** `undefined` if unknown. */
export async function conversationTokens(
  conversation: ConversationSize | undefined,
  counter: TextCounter,
): Promise<number | undefined> {
  return conversation?.countedBy === undefined
    ? conversation?.tokens
    : await conversation.countedBy(counter);
}
