const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Four characters that stand for themselves. */
const PLAIN_WORD = 0x61616161;
const IS_LITTLE_ENDIAN = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1;

/**
 * Offset of the next byte that does not stand for itself in a string (a quote, a backslash, a
 * control character), or `limit`.
 *
 * Strings are most of JSON, so four bytes are looked at together, the ones before `start` replaced.
 *
 * @param words - The memory of `bytes`, four bytes a word.
 */
export function endOfPlain(
  bytes: Uint8Array,
  words: Int32Array,
  start: number,
  limit: number,
): number {
  let at = start;
  if (IS_LITTLE_ENDIAN) {
    const endWord = Math.min(words.length, (limit + 3) >> 2);
    let word = start >> 2;
    if (word < endWord) {
      const after = -1 << ((start & 3) << 3);
      let found = stopsOf(((words[word] ?? 0) & after) | (PLAIN_WORD & ~after));
      while (found === 0) {
        word += 1;
        if (word >= endWord) break;
        found = stopsOf(words[word] ?? 0);
      }
      at = word << 2;
      // The lowest bit that is set belongs to the first byte that stops.
      if (found !== 0) at += (31 - Math.clz32(found & -found)) >> 3;
    }
  }
  while (at < limit) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE || byte === BACKSLASH || byte < 0x20) return at;
    at += 1;
  }
  return limit;
}

/**
 * Has the highest bit of each of four bytes that is a quote, a backslash or below 0x20. Above the
 * lowest such byte a subtraction can borrow, so that only the lowest bit that is set means something.
 */
function stopsOf(word: number): number {
  // Flipping this bit takes the quote to 0x20, right after the control characters, and the space away.
  const quoteOrControl = (word ^ 0x02020202) - 0x21212121;
  const backslash = (word ^ 0x5c5c5c5c) - 0x01010101;
  return (quoteOrControl | backslash) & ~word & 0x80808080;
}

/** Bytes of the escape at `at`; 0 when JSON has no such escape, or it does not end before `end`. */
export function escapeLength(bytes: Uint8Array, at: number, end: number): number {
  const byte = at + 1 < end ? bytes[at + 1] : 0;
  switch (byte) {
    case 0x22:
    case 0x2f:
    case 0x5c:
    case 0x62:
    case 0x66:
    case 0x6e:
    case 0x72:
    case 0x74:
      return 2;
    case 0x75: {
      if (at + 6 > end) return 0;
      for (let digit = at + 2; digit < at + 6; digit += 1) if (!isHex(bytes[digit] ?? 0)) return 0;
      return 6;
    }
    default:
      return 0;
  }
}

function isHex(byte: number): boolean {
  const lower = byte | 0x20;
  return (byte >= 0x30 && byte <= 0x39) || (lower >= 0x61 && lower <= 0x66);
}

/** Offset after the `true`, `false` or `null` at `at`; -1 when something else is there. */
export function endOfLiteral(bytes: Uint8Array, at: number, end: number): number {
  const literal = bytes[at] === 0x74 ? TRUE : bytes[at] === 0x66 ? FALSE : NULL;
  if (at + literal.length > end) return -1;
  for (let index = 0; index < literal.length; index += 1) {
    if (bytes[at + index] !== literal[index]) return -1;
  }
  return at + literal.length;
}

const TRUE = Buffer.from("true");
const FALSE = Buffer.from("false");
const NULL = Buffer.from("null");

/** Moves the bytes from `start` to `end` down by `gap`. */
export function moveDown(bytes: Buffer, start: number, end: number, gap: number): void {
  if (gap === 0 || start === end) return;
  if (end - start > 40) {
    bytes.copyWithin(start - gap, start, end);
  } else {
    for (let at = start; at < end; at += 1) bytes[at - gap] = bytes[at] ?? 0;
  }
}
