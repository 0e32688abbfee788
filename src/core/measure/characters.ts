import { splitsSurrogatePair } from "./segments.js";
import type { Counter } from "./counter.js";

/**
 * Characters / 4, rounded up; UTF-16 units / 4 above 4 Mi of them.
 *
 * @param exact - `false` if this counter replaces another one.
 */
export function charactersCounter(exact: boolean): Counter {
  return {
    measure(text, limitTokens) {
      const isCounted = text.length <= MAX_COUNTED_UNITS;
      const tokens = isCounted
        ? charactersAsTokens(text)
        : Math.ceil(text.length / CHARACTERS_PER_TOKEN);
      const overLimit = tokens > limitTokens;
      return { characters: text.length, tokens, exact: exact && isCounted, overLimit };
    },
    fit: (text, limitTokens) => longestFit(text, limitTokens, charactersAsTokens),
  };
}

export function charactersAsTokens(text: string): number {
  return Math.ceil(countCodePoints(text) / CHARACTERS_PER_TOKEN);
}

/** @source LRO specification, threshold detection: tokens ~ characters / 4 for Latin script. */
export const CHARACTERS_PER_TOKEN = 4;

/** Counted in a few milliseconds. */
const MAX_COUNTED_UNITS = 4_194_304;

function countCodePoints(text: string): number {
  if (!HIGH_SURROGATE.test(text)) return text.length;
  let pairs = 0;
  for (let index = 1; index < text.length; index++) if (splitsSurrogatePair(text, index)) pairs++;
  return text.length - pairs;
}

const HIGH_SURROGATE = /[\ud800-\udbff]/;

/** A prefix in UTF-16 units. Each returned length was counted, so the function need not be monotonic. */
export function longestFit(
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
