import { AIMessage, type BaseMessage } from "@langchain/core/messages";

import type { TextCounter } from "../../../core/types/output.js";
import { countShownTokens, shownMessages } from "../aging/messages/shown-messages.js";

/** What a provider puts around a message. @source LangChain, `countTokensApproximately`. */
const TOKENS_PER_MESSAGE = 3;

/** Counts by message, for as long as there is the message. */
const known = new WeakMap<TextCounter, WeakMap<BaseMessage, number>>();

/** Tokens of messages as the model sees them, each counted once by the measure of the outputs. */
export async function countMessages(
  messages: readonly BaseMessage[],
  counter: TextCounter,
): Promise<number> {
  const counts = known.get(counter) ?? new WeakMap<BaseMessage, number>();
  known.set(counter, counts);
  let sum = 0;
  for (const message of shownMessages(messages)) {
    const tokens = counts.get(message) ?? (await countMessage(message, counter));
    counts.set(message, tokens);
    sum += tokens;
  }
  return sum;
}

async function countMessage(message: BaseMessage, counter: TextCounter): Promise<number> {
  const { content } = message;
  // No tokenizer counts an image.
  if (typeof content !== "string" && content.some(({ type }) => type !== "text")) {
    return countShownTokens([message]);
  }
  const calls = (AIMessage.isInstance(message) && message.tool_calls) || [];
  const asked = calls.map(({ name, args }) => JSON.stringify({ name, args })).join("\n");
  return (await counter.count(message.text + asked)).tokens + TOKENS_PER_MESSAGE;
}
