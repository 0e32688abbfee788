import { wholeCharactersEnd } from "../../util/safe-text.js";
import { charactersIn } from "../../util/text-encoding.js";
import type { Counter } from "./counter.js";
import { MAX_CHARACTERS_PER_TOKEN } from "./size-limit.js";

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
  return Math.ceil(charactersIn(text) / CHARACTERS_PER_TOKEN);
}

/** @source LRO specification, threshold detection: tokens ~ characters / 4 for Latin script. */
export const CHARACTERS_PER_TOKEN = 4;

/** Counted in a few milliseconds. */
const MAX_COUNTED_UNITS = 4_194_304;

/**
 * A prefix in UTF-16 units, of at most {@link MAX_CHARACTERS_PER_TOKEN} a token. Each returned length was counted, so
 * the function need not be monotonic.
 */
export function longestFit(
  text: string,
  limitTokens: number,
  countTokens: (prefix: string) => number,
): number {
  let low = 0;
  let high = Math.min(text.length, limitTokens * MAX_CHARACTERS_PER_TOKEN) + 1;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    const prefix = text.slice(0, wholeCharactersEnd(text, middle));
    if (countTokens(prefix) <= limitTokens) low = middle;
    else high = middle;
  }
  return wholeCharactersEnd(text, low);
}
