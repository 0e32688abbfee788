/**
 * Longest stretch that is split into pieces at once, in UTF-16 units. Bounds the work on hostile
 * text: no piece is longer, and a piece of this length takes about 10 ms.
 */
export const SEGMENT_CHARACTERS = 8_192;

/**
 * End (exclusive) of the segment that begins at `start`: the last place within `maxCharacters` that
 * no tokenizer's piece spans, so that counts of segments add up to the count of the text. Where there
 * is no such place (a run of one class of characters, say), the segment is cut at its full length,
 * but never inside a surrogate pair; the sum may then be a few tokens too high.
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

/**
 * Whether every tokenizer begins a new piece at `index`, whatever surrounds it: behind a letter or
 * digit, before a character that is none, no mark and no apostrophe (`'s` may join the word).
 */
export function isPieceBoundary(text: string, index: number): boolean {
  const before = text.charCodeAt(index - 1);
  const after = text.charCodeAt(index);
  if (before < 128 && after < 128) {
    return isAsciiWord(before) && !isAsciiWord(after) && after !== APOSTROPHE;
  }
  return kindOf(before) === IS_WORD && kindOf(after) === IS_BREAK;
}

export function splitsSurrogatePair(text: string, index: number): boolean {
  return (
    (text.charCodeAt(index - 1) & 0xfc00) === 0xd800 && (text.charCodeAt(index) & 0xfc00) === 0xdc00
  );
}

/** What a UTF-16 unit is, looked up once: runs without a boundary are looked through for one again and again. */
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
const APOSTROPHE = 0x27;
const WORD = /^[\p{L}\p{N}]$/u;
const BREAK = /^[^\p{L}\p{N}\p{M}\p{Cs}']$/u;

function isAsciiWord(code: number): boolean {
  return (
    (code >= 0x30 && code <= 0x39) ||
    (code >= 0x41 && code <= 0x5a) ||
    (code >= 0x61 && code <= 0x7a)
  );
}
