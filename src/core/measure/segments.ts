import { wholeCharactersEnd } from "../../util/safe-text.js";

/** In UTF-16 units. Bounds the work on hostile text: such a piece takes 10 ms. */
export const SEGMENT_CHARACTERS = 8_192;

/**
 * The last place within `maxCharacters` that no piece spans, so that counts add up. Otherwise the full length,
 * without splitting a surrogate pair; the sum may then be slightly too high.
 */
export function segmentEnd(
  text: string,
  start: number,
  maxCharacters: number = SEGMENT_CHARACTERS,
): number {
  const limit = start + maxCharacters;
  if (limit >= text.length) return text.length;
  for (let end = limit; end > start; end--) if (isPieceBoundary(text, end)) return end;
  return wholeCharactersEnd(text, limit);
}

/** After a letter or digit, before anything but letters, digits, marks and apostrophes (`'s` may join the word). */
export function isPieceBoundary(text: string, index: number): boolean {
  return WORD.test(text.charAt(index - 1)) && BREAK.test(text.charAt(index));
}

const WORD = /^[\p{L}\p{N}]$/u;
const BREAK = /^[^\p{L}\p{N}\p{M}\p{Cs}']$/u;
