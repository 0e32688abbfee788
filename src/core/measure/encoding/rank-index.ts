export interface RankIndex {
  /** `NO_RANK` if the bytes are no token. */
  readonly rankOf: (bytes: Uint8Array, start: number, end: number) => number;
  readonly rankOfPair: (first: number, second: number) => number;
  /** A text of more than `n` times this many bytes has more than `n` tokens. */
  readonly maxTokenBytes: number;
}

export interface Encoding {
  readonly splitPieces: (segment: string) => readonly string[];
  readonly ranks: RankIndex;
}

export const NO_RANK: number = 0x40_0000;
const ENTRY_BYTES = 3;
const BUCKETS = 65_536;
const HEADER_BYTES = 8;

/**
 * Indexes lines of `! firstRank token token …`, with base64 tokens in rank order. A token's offset in the text serves
 * as its rank. The index lists offsets by token hash, as bytes that can be built ahead: length of the text (4) and of
 * the longest token (4), tokens in each of 65,536 buckets (1 each), then per token (3) a quarter of its offset with
 * four bits of its hash above.
 */
export function buildRankIndex(text: Uint8Array): Uint8Array<ArrayBuffer> {
  const places: number[] = [];
  const hashes: number[] = [];
  let maxTokenBytes = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === EXCLAMATION_MARK) at = text.indexOf(SPACE, at + 2) + 1;
    const place = at;
    let hash = 0;
    for (; at < text.length && text[at]! > SPACE; at += 4) hash = mix(hash, base64Word(text, at));
    places.push(place);
    hashes.push(hash);
    maxTokenBytes = Math.max(maxTokenBytes, ((at - place) / 4) * 3 - paddingBefore(text, at));
  }
  const index = new Uint8Array(HEADER_BYTES + BUCKETS + ENTRY_BYTES * places.length);
  new DataView(index.buffer).setUint32(0, text.length);
  new DataView(index.buffer).setUint32(4, maxTokenBytes);
  const counts = index.subarray(HEADER_BYTES, HEADER_BYTES + BUCKETS);
  for (const hash of hashes) counts[bucketOf(hash)]!++;
  const free = startsOf(counts);
  for (const [token, hash] of hashes.entries()) {
    const entry = (places[token]! >> 2) | (tagOf(hash) << 20);
    const at = HEADER_BYTES + BUCKETS + ENTRY_BYTES * free[bucketOf(hash)]!++;
    index.set([entry, entry >> 8, entry >> 16], at);
  }
  return index;
}

/** @throws Error if the index is incomplete or belongs to another text. */
export function openRankIndex(text: Uint8Array, index: Uint8Array): RankIndex {
  const header = new DataView(index.buffer, index.byteOffset, HEADER_BYTES);
  if (header.getUint32(0) !== text.length) throw new Error("This index is of another table.");
  const starts = startsOf(index.subarray(HEADER_BYTES, HEADER_BYTES + BUCKETS));
  const entries = index.subarray(HEADER_BYTES + BUCKETS);
  const wholeBytes = HEADER_BYTES + BUCKETS + ENTRY_BYTES * starts[BUCKETS]!;
  if (index.length !== wholeBytes) throw new Error("This index is not whole.");
  const maxTokenBytes = header.getUint32(4);

  const rankOf = (bytes: Uint8Array, start: number, end: number): number => {
    if (end - start > maxTokenBytes) return NO_RANK;
    let hash = 0;
    for (let at = start; at < end; at += 3) hash = mix(hash, wordOf(bytes, at, end));
    const bucket = bucketOf(hash);
    const tag = tagOf(hash);
    const last = ENTRY_BYTES * starts[bucket + 1]!;
    for (let at = ENTRY_BYTES * starts[bucket]!; at < last; at += ENTRY_BYTES) {
      const high = entries[at + 2]!;
      if (high >> 4 !== tag) continue;
      const near = entries[at]! | (entries[at + 1]! << 8) | ((high & 0xf) << 16);
      const place = placeNear(text, near);
      if (isTokenAt(text, place, bytes, start, end)) return place;
    }
    return NO_RANK;
  };

  // Each merge begins with pairs, so their ranks are cached. No rank is 0.
  const pairRanks = new Int32Array(65_536);
  const rankOfPair = (first: number, second: number): number => {
    const pair = (first << 8) | second;
    if (pairRanks[pair] === 0) pairRanks[pair] = rankOf(Uint8Array.of(first, second), 0, 2);
    return pairRanks[pair]!;
  };

  return { rankOf, rankOfPair, maxTokenBytes };
}

function placeNear(text: Uint8Array, quarter: number): number {
  let place = quarter << 2;
  while (text[place - 1]! > SPACE) place++;
  return place;
}

function isTokenAt(
  text: Uint8Array,
  place: number,
  bytes: Uint8Array,
  start: number,
  end: number,
): boolean {
  let at = place;
  for (let byte = start; byte < end; byte += 3, at += 4) {
    if (base64Word(text, at) !== wordOf(bytes, byte, end)) return false;
  }
  const isWhole = at >= text.length || text[at]! <= SPACE;
  // Trailing zeros give the same words.
  return isWhole && (end - start + paddingBefore(text, at)) % 3 === 0;
}

function wordOf(bytes: Uint8Array, at: number, end: number): number {
  if (at + 2 < end) return (bytes[at]! << 16) | (bytes[at + 1]! << 8) | bytes[at + 2]!;
  return (bytes[at]! << 16) | (at + 1 < end ? bytes[at + 1]! << 8 : 0);
}

/** Negative if a character is invalid. */
function base64Word(text: Uint8Array, at: number): number {
  return (
    (SIX_BITS[text[at]!]! << 18) |
    (SIX_BITS[text[at + 1]!]! << 12) |
    (SIX_BITS[text[at + 2]!]! << 6) |
    SIX_BITS[text[at + 3]!]!
  );
}

function paddingBefore(text: Uint8Array, end: number): number {
  return text[end - 2] === EQUALS_SIGN ? 2 : text[end - 1] === EQUALS_SIGN ? 1 : 0;
}

function mix(hash: number, word: number): number {
  const mixed = Math.imul(hash ^ word, 0x9e37_79b1);
  return mixed ^ (mixed >>> 15);
}

function bucketOf(hash: number): number {
  return hash >>> 16;
}

function tagOf(hash: number): number {
  return (hash >>> 12) & 0xf;
}

function startsOf(counts: Uint8Array): Uint32Array {
  const starts = new Uint32Array(BUCKETS + 1);
  for (let bucket = 0, sum = 0; bucket < BUCKETS; bucket++) {
    sum += counts[bucket]!;
    starts[bucket + 1] = sum;
  }
  return starts;
}

const SPACE = 0x20;
const EXCLAMATION_MARK = 0x21;
const EQUALS_SIGN = 0x3d;
const SIX_BITS = sixBits();

function sixBits(): Int32Array {
  const values = new Int32Array(256).fill(-1);
  const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (let value = 0; value < 64; value++) values[digits.charCodeAt(value)] = value;
  values[EQUALS_SIGN] = 0;
  return values;
}
