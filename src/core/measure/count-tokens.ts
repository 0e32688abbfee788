import { mergeBytePairs, writePiece } from "./encoding/byte-pairs.js";
import type { Encoding } from "./encoding/encoding.js";
import { NO_RANK, type RankIndex } from "./encoding/rank-index.js";
import { SEGMENT_CHARACTERS, segmentEnd } from "./segments.js";

export interface BoundedCount {
  readonly tokens: number;
  readonly overLimit: boolean;
}

export type PieceCounter = (piece: string) => number;

/**
 * Stops above `limitTokens`. Exact if there is a segment boundary every 8,192 characters.
 *
 * @param countPiece - Can be shared by several texts.
 */
export function countTokens(
  encoding: Encoding,
  text: string,
  limitTokens: number = Number.POSITIVE_INFINITY,
  countPiece: PieceCounter = createPieceCounter(encoding),
): BoundedCount {
  let tokens = 0;
  let last = "";
  let lastTokens = 0;
  for (let start = 0; start < text.length;) {
    const end = segmentEnd(text, start);
    const segment = text.slice(start, end);
    // A run of one character repeats the same segment.
    if (segment !== last) {
      last = segment;
      lastTokens = 0;
      for (const piece of encoding.splitPieces(segment)) {
        lastTokens += countPiece(piece);
        if (tokens + lastTokens > limitTokens) break;
      }
    }
    tokens += lastTokens;
    if (tokens > limitTokens) break;
    start = end;
  }
  return { tokens, overLimit: tokens > limitTokens };
}

/** Caches short pieces for all texts, long ones in this counter, for runs of one character. */
export function createPieceCounter({ ranks }: Encoding): PieceCounter {
  const shortOnes = SHORT_COUNTS.get(ranks) ?? new Map<string, number>();
  SHORT_COUNTS.set(ranks, shortOnes);
  const longOnes = new Map<string, number>();
  return (piece) => {
    const counts = piece.length <= SHORT_CHARACTERS ? shortOnes : longOnes;
    const known = counts.get(piece);
    if (known !== undefined) return known;
    const length = writePiece(piece, pieceBytes);
    const isToken = ranks.rankOf(pieceBytes, 0, length) !== NO_RANK;
    const count = isToken ? 1 : mergeBytePairs(pieceBytes, length, ranks, tokenEnds);
    if (counts.size >= MAX_REMEMBERED) counts.clear();
    counts.set(piece, count);
    return count;
  };
}

const MAX_REMEMBERED = 1_024;
const SHORT_CHARACTERS = 12;
const SHORT_COUNTS = new WeakMap<RankIndex, Map<string, number>>();
/** Shared scratch memory. */
const pieceBytes = new Uint8Array(3 * SEGMENT_CHARACTERS);
const tokenEnds = new Int32Array(3 * SEGMENT_CHARACTERS);
