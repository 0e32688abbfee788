import { Tiktoken } from "js-tiktoken/lite";
import o200k from "js-tiktoken/ranks/o200k_base";

import { type Conversation, startAgent } from "./conversation.js";
import { type Side, type SideOptions, THREADS } from "./side.js";

/** One figure that both sides give on the same input. */
export interface Outcome {
  readonly name: string;
  readonly unit: string;
  readonly better: "less" | "more";
  /** In a folder of its own. */
  measure(side: Side, directory: string): Promise<number>;
}

export const LOG_LINES = 5_000;

const encoder = new Tiktoken(o200k);
/** By o200k_base, whatever the side itself counts with. */
export const tokensOf = (text: string): number => encoder.encode(text, "all").length;
export const sum = (numbers: readonly number[]): number =>
  numbers.reduce((one, other) => one + other, 0);

/** A conversation, and what it needs to be closed again. */
export async function talk<Result>(
  side: Side,
  directory: string,
  run: (conversation: Conversation, another: Conversation) => Promise<Result>,
  options: SideOptions & { readonly keep?: boolean } = {},
): Promise<Result> {
  const opened = side.open(directory, options);
  try {
    const thread = startAgent(opened, options);
    return await run(thread(THREADS[0]), thread(THREADS[1]));
  } finally {
    await opened.close();
  }
}

/** What the model sees of an output, where it says that the output is, and the conversation. */
export async function stored<Result>(
  side: Side,
  directory: string,
  value: unknown,
  then: (seen: string, place: string, talking: Conversation) => Promise<Result> | Result,
  options: SideOptions = {},
): Promise<Result> {
  return await talk(
    side,
    directory,
    async (conversation) => {
      const [message] = await conversation.produce(value);
      const seen = message?.text ?? "";
      return await then(seen, side.placeIn(seen), conversation);
    },
    options,
  );
}

/** Tokens of the descriptor, or of the output where that stays inline. */
export const shown = (name: string, value: () => unknown): Outcome => ({
  name: `the model sees instead of ${name}`,
  unit: "tokens",
  better: "less",
  measure: async (side, directory) => await stored(side, directory, value(), tokensOf),
});

/** A number as the names of outcomes write it. */
export function numeral(number: number): string {
  return number.toLocaleString("en");
}
