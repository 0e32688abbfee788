import { wholeCharactersEnd } from "../../util/safe-text.js";
import type { Counter } from "./counter.js";
import { mergeBytePairs, writePiece } from "./encoding/byte-pairs.js";
import { type Encoding, NO_RANK, type RankIndex } from "./encoding/rank-index.js";
import { SEGMENT_CHARACTERS, segmentEnd } from "./segments.js";

/** In UTF-16 units; about 2 ms. */
export const EXACT_CHARACTERS = 32_768;

export function encodingCounter(encoding: Encoding): Counter {
  return {
    measure(text, limitTokens) {
      const characters = text.length;
      if (characters <= EXACT_CHARACTERS) {
        const { tokens } = countTokens(encoding, text);
        return { characters, tokens, exact: true, overLimit: tokens > limitTokens };
      }
      // Tokens have a maximum length.
      if (characters <= encoding.ranks.maxTokenBytes * limitTokens) {
        const { tokens, over } = countTokens(encoding, text, limitTokens);
        if (over === undefined) return { characters, tokens, exact: true, overLimit: false };
      }
      // The estimate may be below what was counted.
      const tokens = Math.max(estimateTokens(encoding, text), Math.floor(limitTokens) + 1);
      return { characters, tokens, exact: false, overLimit: true };
    },
    fit: (text, limitTokens) => fitTokens(encoding, text, limitTokens),
  };
}

type PieceCounter = (piece: string) => number;

interface BoundedCount {
  /** Up to the limit. */
  readonly tokens: number;
  /** Where the limit is passed. */
  readonly over?: { readonly piece: string; readonly start: number };
}

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
  for (let start = 0, end = 0; end < text.length; start = end) {
    end = segmentEnd(text, start);
    for (const piece of encoding.splitPieces(text.slice(start, end))) {
      const pieceTokens = countPiece(piece);
      if (tokens + pieceTokens > limitTokens) return { tokens, over: { piece, start } };
      tokens += pieceTokens;
      start += piece.length;
    }
  }
  return { tokens };
}

/** Caches short pieces for all texts, long ones in this counter, for runs of one character. */
function createPieceCounter({ ranks }: Encoding): PieceCounter {
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

/** A prefix in UTF-16 units, never inside a surrogate pair. A slightly longer one may also fit. */
export function fitTokens(encoding: Encoding, text: string, limitTokens: number): number {
  const { tokens, over } = countTokens(encoding, text, limitTokens);
  if (over === undefined) return text.length;
  let end = over.start + fitPiece(encoding, over.piece, Math.floor(limitTokens - tokens));
  // Cutting changes the last piece, which may add a token.
  for (let back = 1; end > 0 && countTokens(encoding, text.slice(0, end), limitTokens).over;) {
    end = wholeCharactersEnd(text, end - back);
    back *= 2;
  }
  return end;
}

/** Without a partial last character. */
function fitPiece({ ranks }: Encoding, piece: string, limitTokens: number): number {
  const length = writePiece(piece, pieceBytes);
  if (limitTokens < 1 || ranks.rankOf(pieceBytes, 0, length) !== NO_RANK) return 0;
  mergeBytePairs(pieceBytes, length, ranks, tokenEnds);
  const endByte = tokenEnds[limitTokens - 1]!;
  let end = 0;
  let usedBytes = 0;
  for (const character of piece) {
    usedBytes += Buffer.byteLength(character);
    if (usedBytes > endByte) break;
    end += character.length;
  }
  return end;
}

/** From 32 evenly spread windows of 512 characters. Off by a few percent for uniform text. */
function estimateTokens(encoding: Encoding, text: string): number {
  let tokens = 0;
  let characters = 0;
  const countPiece = createPieceCounter(encoding);
  const stride = (text.length - WINDOW_CHARACTERS) / (WINDOWS - 1);
  for (let window = 0; window < WINDOWS; window++) {
    const start = wholeCharactersEnd(text, window * stride);
    const end = segmentEnd(text, start, WINDOW_CHARACTERS);
    tokens += countTokens(encoding, text.slice(start, end), Infinity, countPiece).tokens;
    characters += end - start;
  }
  return Math.round((tokens * text.length) / characters);
}

const WINDOWS = 32;
const WINDOW_CHARACTERS = 512;
