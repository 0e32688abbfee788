import { atOnce } from "../../util/at-once.js";
import type { TokenCount } from "../types/content.js";
import { warnOnce } from "../../util/warn-once.js";
import { charactersAsTokens, createCharactersMeasure } from "./characters.js";
import { splitsSurrogatePair } from "./segments.js";
import type { SyncTokenMeasure } from "./token-measure.js";

/**
 * Fractions are rounded up, to at most `Number.MAX_SAFE_INTEGER`. If the function throws or returns no finite number
 * from 0 up, characters / 4 are used, as inexact, with one process warning.
 */
export function createFunctionMeasure(countText: (text: string) => number): SyncTokenMeasure {
  const count = (text: string): TokenCount => {
    const tokens = callSafely(countText, text);
    return tokens === undefined
      ? { tokens: charactersAsTokens(text), exact: false }
      : { tokens, exact: true };
  };
  const fallback = createCharactersMeasure(false);
  return {
    measure: (text, limitTokens) => {
      const tokens = callSafely(countText, text);
      if (tokens === undefined) return fallback.measure(text, limitTokens);
      return { characters: text.length, tokens, exact: true, overLimit: tokens > limitTokens };
    },
    count,
    fit: (text, limitTokens) => fitCounted(text, limitTokens, (prefix) => count(prefix).tokens),
  };
}

function callSafely(countText: (text: string) => number, text: string): number | undefined {
  try {
    const tokens = atOnce("tokenizer", countText(text));
    if (!(Number.isFinite(tokens) && tokens >= 0)) throw new RangeError("no number from 0 up");
    return Math.min(Math.ceil(tokens), Number.MAX_SAFE_INTEGER);
  } catch (error) {
    // Must not fail a tool call.
    const reason = error instanceof Error ? `: ${error.message}` : "";
    warnOnce(`tokenizer failed${reason}. Characters / 4 stand in for it.`);
    return undefined;
  }
}

/** Each returned length was counted, so the function need not be monotonic. */
function fitCounted(
  text: string,
  limitTokens: number,
  countTokens: (prefix: string) => number,
): number {
  const fits = (end: number): boolean => countTokens(text.slice(0, end)) <= limitTokens;
  const whole = (end: number): number => (splitsSurrogatePair(text, end) ? end - 1 : end);
  let low = 0;
  let high = Math.min(text.length, whole(FIRST_TRY_CHARACTERS));
  while (fits(high)) {
    if (high === text.length) return high;
    low = high;
    high = Math.min(text.length, whole(high * 2));
  }
  while (high - low > 1) {
    let middle = whole(low + Math.floor((high - low) / 2));
    if (middle === low) middle += 2;
    if (middle >= high) break;
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return low;
}

const FIRST_TRY_CHARACTERS = 1_024;
