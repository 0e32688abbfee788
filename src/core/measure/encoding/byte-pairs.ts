import { mergeWindow } from "./merge-window.js";
import type { RankIndex } from "./rank-index.js";

/**
 * Merges the lowest rank first, leftmost among equals. Writes the end of each token and returns their number.
 *
 * A long piece is merged by windows, because each merge scans its window. If AB has a token end between A and B, and
 * BC one between B and C, then ABC has both: no merge within AB or BC crosses them. So a window that begins at a
 * known end is right if it shares a later end; otherwise it begins earlier.
 *
 * @param bytes - Begin with the piece as UTF-8.
 * @param ends - Room for as many tokens as the piece has bytes.
 */
export function mergeBytePairs(
  bytes: Uint8Array,
  length: number,
  ranks: RankIndex,
  ends: Int32Array,
): number {
  let known = Math.min(length, FIRST_WINDOW_BYTES);
  let tokens = mergeWindow(bytes, 0, known, ranks, ends);
  for (let overlap = OVERLAP_BYTES; known < length;) {
    let kept = tokens;
    while (kept > 0 && ends[kept - 1]! > known - overlap) kept--;
    const start = kept === 0 ? 0 : ends[kept - 1]!;
    const end = Math.min(length, known + STEP_OVERLAPS * overlap);
    if (tail.length < end - start) tail = new Int32Array(2 * (end - start));
    const added = mergeWindow(bytes, start, end, ranks, tail);
    if (start > 0 && !shareEnd(ends, kept, tokens, added)) {
      overlap *= 2;
      continue;
    }
    for (let token = 0; token < added; token++) ends[kept + token] = tail[token]!;
    tokens = kept + added;
    known = end;
  }
  return tokens;
}

const FIRST_WINDOW_BYTES = 32;
const OVERLAP_BYTES = 8;
const STEP_OVERLAPS = 3;
let tail = new Int32Array(256);

function shareEnd(ends: Int32Array, kept: number, tokens: number, added: number): boolean {
  for (let one = kept, other = 0; one < tokens && other < added;) {
    if (ends[one] === tail[other]) return true;
    if (ends[one]! < tail[other]!) one++;
    else other++;
  }
  return false;
}
