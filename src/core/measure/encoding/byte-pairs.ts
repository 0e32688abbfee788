import { NO_RANK, type RankIndex } from "./rank-index.js";

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

/** For few bytes, because each rank scans all pairs. */
function mergeWindow(
  bytes: Uint8Array,
  start: number,
  end: number,
  ranks: RankIndex,
  ends: Int32Array,
): number {
  let parts = end - start;
  // Part `i` ends at `ends[i]`; `pairs[i]` is its rank with the next part.
  const pairs = room.length < parts ? (room = new Int32Array(2 * parts)) : room;
  const { rankOf, rankOfPair } = ranks;
  for (let part = 0; part < parts; part++) {
    const at = start + part;
    ends[part] = at + 1;
    pairs[part] = at + 1 < end ? rankOfPair(bytes[at]!, bytes[at + 1]!) : NO_RANK;
  }
  for (;;) {
    let first = 0;
    let rank = NO_RANK;
    for (let part = 0; part < parts; part++) {
      const pair = pairs[part]!;
      if (pair < rank) {
        rank = pair;
        first = part;
      }
    }
    if (rank === NO_RANK) return parts;
    let kept = first;
    for (let part = first; part < parts; part++, kept++) {
      let pair = pairs[part]!;
      if (pair === rank) {
        part++;
        const partStart = kept === 0 ? start : ends[kept - 1]!;
        pair = part + 1 < parts ? rankOf(bytes, partStart, ends[part + 1]!) : NO_RANK;
        let before = NO_RANK;
        if (kept > 0) {
          before = rankOf(bytes, kept === 1 ? start : ends[kept - 2]!, ends[part]!);
          pairs[kept - 1] = before;
        }
        // A lower rank goes first.
        if (before < rank || pair < rank) rank = -1;
      }
      ends[kept] = ends[part]!;
      pairs[kept] = pair;
    }
    parts = kept;
  }
}

let room = new Int32Array(256);

const encoder = new TextEncoder();

/**
 * A lone surrogate becomes U+FFFD.
 *
 * @param bytes - Room for three bytes per UTF-16 unit.
 */
export function writePiece(piece: string, bytes: Uint8Array): number {
  for (let at = 0; at < piece.length; at++) {
    const code = piece.charCodeAt(at);
    // For short ASCII, the encoder is slower.
    if (code >= 0x80) return encoder.encodeInto(piece, bytes).written;
    bytes[at] = code;
  }
  return piece.length;
}
