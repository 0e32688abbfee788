/** A conversation to be had: one tool call a turn. */
export interface Turn {
  /** Tokens of the model's text and call. */
  readonly saidTokens: number;
  readonly resultTokens: number;
}

/** System message and definitions of tools, in tokens. */
export const SYSTEM_TOKENS = 4_000;
/** The first results hold facts that are asked for at the end. */
export const FACTS = 10;

/** The same conversation for the same seed: results of 200 to 1,600 tokens, 60 to 240 of text and call a turn. */
export function conversationOf(turns: number, seed: number): readonly Turn[] {
  const random = randomOf(seed);
  const between = (least: number, most: number): number =>
    Math.floor(least + random() * (most - least + 1));
  return Array.from({ length: turns }, () => ({
    saidTokens: between(60, 240),
    resultTokens: between(200, 1_600),
  }));
}

export function factOf(turn: number): string {
  return `fact ${turn}: ${(turn * 7_919 + 104_729) % 1_000_003}.`;
}

/** Numbers from 0 to 1, the same for the same seed. */
function randomOf(seed: number): () => number {
  let state = (seed * 2_654_435_761 + 1) >>> 0;
  return () => {
    state = (state + 0x6d_2b_79_f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
