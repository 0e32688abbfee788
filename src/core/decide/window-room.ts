import { warnOnce } from "../../util/warn-once.js";
import type { ConversationSize } from "../types/output.js";

export const DEFAULT_CONTEXT_WINDOW_TOKENS = 128_000;
export const ASSUMED_WINDOW: string = `The model's context window is not known; ${DEFAULT_CONTEXT_WINDOW_TOKENS} tokens are assumed. Set contextWindowTokens to be exact.`;
const FILLED_FRACTION = 0.9;

export function assumedWindowTokens(): number {
  warnOnce(ASSUMED_WINDOW);
  return DEFAULT_CONTEXT_WINDOW_TOKENS;
}

/** Nine tenths of the context window less the conversation, in tokens. An unknown window counts as 128,000 tokens. */
export function roomInWindow(
  conversation: ConversationSize | undefined,
  contextWindowTokens: number | undefined,
): { readonly tokens: number; readonly tokensReason: string } {
  const windowTokens =
    contextWindowTokens ?? conversation?.contextWindowTokens ?? DEFAULT_CONTEXT_WINDOW_TOKENS;
  const room = wholePart(FILLED_FRACTION, windowTokens) - (conversation?.tokens ?? 0);
  const tokensReason = `what is left of a context window of ${windowTokens} tokens`;
  return { tokens: Math.max(0, room), tokensReason };
}

const EXACT_DIGITS = 12;

/** Corrects binary rounding: 0.57 of 100 is 57. */
export function wholePart(fraction: number, total: number): number {
  return Math.floor(Number((fraction * total).toPrecision(EXACT_DIGITS)));
}
