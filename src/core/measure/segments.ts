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
  return splitsSurrogatePair(text, limit) ? limit - 1 : limit;
}

/** After a letter or digit, before anything but letters, digits, marks and apostrophes (`'s` may join the word). */
export function isPieceBoundary(text: string, index: number): boolean {
  return (
    kindOf(text.charCodeAt(index - 1)) === IS_WORD && kindOf(text.charCodeAt(index)) === IS_BREAK
  );
}

export function splitsSurrogatePair(text: string, index: number): boolean {
  return (
    (text.charCodeAt(index - 1) & 0xfc00) === 0xd800 && (text.charCodeAt(index) & 0xfc00) === 0xdc00
  );
}

/** Cached, because runs without a boundary are scanned repeatedly. */
function kindOf(unit: number): number {
  if (!(kinds[unit]! > 0)) {
    const character = String.fromCharCode(unit);
    kinds[unit] = WORD.test(character) ? IS_WORD : BREAK.test(character) ? IS_BREAK : IS_OTHER;
  }
  return kinds[unit] ?? IS_OTHER;
}

const kinds = new Uint8Array(65_536);
const IS_WORD = 1;
const IS_BREAK = 2;
const IS_OTHER = 3;
const WORD = /^[\p{L}\p{N}]$/u;
const BREAK = /^[^\p{L}\p{N}\p{M}\p{Cs}']$/u;
