import type { Encoding } from "./encoding.js";

/** What merging needs of an encoding. */
export type TokenRanks = Pick<Encoding, "ranks" | "pairRanks" | "maxTokenBytes">;

/**
 * Merges the bytes of one piece into tokens, always the pair of lowest rank first and the leftmost
 * among equals, and returns the byte offset at which each token ends. Takes O(n log n) time, so a
 * long run of one letter costs little more than ordinary text of its length.
 *
 * @param bytes - The piece as UTF-8, one byte a character.
 */
export function mergeBytePairs(
  bytes: string,
  { ranks, pairRanks, maxTokenBytes }: TokenRanks,
): number[] {
  const { length } = bytes;
  // Part `i` begins at byte `i` and ends where part `next[i]` begins; a merge removes its right part.
  const next = new Int32Array(length);
  const previous = new Int32Array(length);
  const pairRank = new Int32Array(length).fill(-1);
  const queue: number[] = [];

  const lookUp = (start: number, end: number): number =>
    end - start === 2
      ? pairRanks[bytes.charCodeAt(start) * 256 + bytes.charCodeAt(start + 1)]!
      : (ranks.get(bytes.slice(start, end)) ?? -1);

  const rankPair = (part: number): void => {
    const right = next[part]!;
    const end = right < length ? next[right]! : length + 1;
    const known = end <= length && end - part <= maxTokenBytes;
    const rank = known ? lookUp(part, end) : -1;
    pairRank[part] = rank;
    // One number orders by rank and then by place: both fit in 53 bits.
    if (rank >= 0) push(queue, rank * PLACES + part);
  };

  for (let part = 0; part < length; part++) {
    next[part] = part + 1;
    previous[part] = part - 1;
  }
  for (let part = 0; part < length - 1; part++) rankPair(part);

  while (queue.length > 0) {
    const entry = pop(queue);
    const part = entry % PLACES;
    // A later merge may have changed this pair or removed its part; the entry is then out of date.
    if (pairRank[part] !== (entry - part) / PLACES) continue;
    const right = next[part]!;
    const after = next[right]!;
    next[part] = after;
    if (after < length) previous[after] = part;
    pairRank[right] = -1;
    rankPair(part);
    if (previous[part]! >= 0) rankPair(previous[part]!);
  }

  const ends: number[] = [];
  for (let part = 0; part < length; part = next[part]!) ends.push(next[part]!);
  return ends;
}

/** More than any piece has bytes. */
const PLACES = 2 ** 30;

function push(heap: number[], entry: number): void {
  let at = heap.length;
  heap.push(entry);
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if (heap[parent]! <= entry) break;
    heap[at] = heap[parent]!;
    at = parent;
  }
  heap[at] = entry;
}

function pop(heap: number[]): number {
  const top = heap[0]!;
  const last = heap.pop()!;
  const { length } = heap;
  if (length === 0) return top;
  let at = 0;
  for (let child = 1; child < length; child = 2 * at + 1) {
    if (child + 1 < length && heap[child + 1]! < heap[child]!) child++;
    if (heap[child]! >= last) break;
    heap[at] = heap[child]!;
    at = child;
  }
  heap[at] = last;
  return top;
}
