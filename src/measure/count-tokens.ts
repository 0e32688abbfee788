import { mergeBytePairs } from "./byte-pairs.js";
import type { Encoding } from "./encoding.js";
import { segmentEnd } from "./segments.js";

/** A count that may have stopped early. */
export interface BoundedCount {
  /** Tokens of the whole text, or of as much of it as has more than the limit. */
  readonly tokens: number;
  readonly overLimit: boolean;
}

/**
 * Counts tokens until they are more than `limitTokens`; exactly the limit is not over. Equal to
 * the length of a whole encoding wherever a segment boundary is found every 8,192 characters.
 */
export function countTokens(
  encoding: Encoding,
  text: string,
  limitTokens: number = Number.POSITIVE_INFINITY,
): BoundedCount {
  const counter = createPieceCounter(encoding);
  let tokens = 0;
  for (let start = 0; start < text.length;) {
    const end = segmentEnd(text, start);
    for (const piece of splitPieces(encoding, text.slice(start, end))) {
      tokens += counter(piece);
      if (tokens > limitTokens) return { tokens, overLimit: true };
    }
    start = end;
  }
  return { tokens, overLimit: tokens > limitTokens };
}

/** The pieces of a segment, in order; joined, they are the segment. */
export function splitPieces(encoding: Encoding, segment: string): readonly string[] {
  return segment.match(encoding.piecePattern) ?? [];
}

/** A piece as UTF-8 with one character a byte; a lone surrogate becomes U+FFFD, as in any encoder. */
export function toByteString(piece: string): string {
  return NOT_ASCII.test(piece) ? Buffer.from(piece, "utf8").toString("latin1") : piece;
}

/**
 * Counts the tokens of pieces and remembers those it had to merge: words come again, and a run of
 * one character over megabytes is the same long piece over and over.
 */
export function createPieceCounter(encoding: Encoding): (piece: string) => number {
  const { ranks } = encoding;
  const counts = new Map<string, number>();
  return (piece) => {
    const bytes = toByteString(piece);
    if (ranks.has(bytes)) return 1;
    const known = counts.get(bytes);
    if (known !== undefined) return known;
    const count = mergeBytePairs(bytes, encoding).length;
    if (counts.size >= MAX_REMEMBERED) counts.clear();
    counts.set(bytes, count);
    return count;
  };
}

const MAX_REMEMBERED = 256;
// oxlint-disable-next-line no-control-regex -- ASCII begins with the control characters.
const NOT_ASCII = /[^\u0000-\u007f]/;
