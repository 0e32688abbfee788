import { deepStrictEqual } from "node:assert";

import type { BaseMessage } from "@langchain/core/messages";

import { type Drawing, text } from "./show.ts";

/** The JSON value that ends a conversation, after a word of the model or in a fence of code. */
export function answerOf(messages: readonly BaseMessage[]): unknown {
  const text = messages.at(-1)?.text ?? "";
  return JSON.parse(/[[{][\s\S]*[\]}]/.exec(text)?.[0] ?? "null");
}

/**
 * Shows the answer when it equals what the data say. `npm run notebooks` compares the line with the
 * one in the committed notebook.
 *
 * @throws When the answer is another one.
 */
export function checkAnswer(given: unknown, expected: unknown): Drawing {
  deepStrictEqual(given, expected);
  return text(`Equal to the data: ${JSON.stringify(given)}`);
}
