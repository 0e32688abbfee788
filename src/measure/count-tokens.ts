import { mergeBytePairs } from "./byte-pairs.js";
import type { Encoding } from "./encoding.js";
import { NO_RANK } from "./rank-index.js";
import { SEGMENT_CHARACTERS, segmentEnd } from "./segments.js";

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

/** Writes a piece as UTF-8 and gives its length; a lone surrogate becomes U+FFFD, as in any encoder. */
export function encodePiece(piece: string, bytes: Uint8Array): number {
  let length = 0;
  for (let at = 0; at < piece.length; at++) {
    let code = piece.charCodeAt(at);
    if (code < 0x80) {
      bytes[length++] = code;
      continue;
    }
    if (code < 0x800) {
      bytes[length++] = 0xc0 | (code >> 6);
    } else {
      if ((code & 0xf800) === 0xd800) {
        const low = code < 0xdc00 ? piece.charCodeAt(at + 1) : 0;
        if ((low & 0xfc00) === 0xdc00) {
          at++;
          code = 0x10000 + ((code & 0x3ff) << 10) + (low & 0x3ff);
          bytes[length++] = 0xf0 | (code >> 18);
        } else code = 0xfffd;
      }
      bytes[length++] = code < 0x10000 ? 0xe0 | (code >> 12) : 0x80 | ((code >> 12) & 0x3f);
      bytes[length++] = 0x80 | ((code >> 6) & 0x3f);
      bytes[length++] = 0x80 | (code & 0x3f);
      continue;
    }
    bytes[length++] = 0x80 | (code & 0x3f);
  }
  return length;
}
export const pieceEnds = new Int32Array(3 * SEGMENT_CHARACTERS);
export const pieceBytes = new Uint8Array(3 * SEGMENT_CHARACTERS);

/**
 * Counts the tokens of pieces and remembers those it had to merge: words come again, and a run of
 * one character over megabytes is the same long piece over and over.
 */
export function createPieceCounter({ ranks }: Encoding): (piece: string) => number {
  const counts = new Map<string, number>();
  return (piece) => {
    if (piece.length > 64) {
      const known = counts.get(piece);
      if (known !== undefined) return known;
    }
    const length = encodePiece(piece, pieceBytes);
    if (ranks.rankOf(pieceBytes, 0, length) !== NO_RANK) return 1;
    const count = mergeBytePairs(pieceBytes, length, ranks, pieceEnds);
    if (piece.length > 64) {
      if (counts.size >= MAX_REMEMBERED) counts.clear();
      counts.set(piece, count);
    }
    return count;
  };
}

const MAX_REMEMBERED = 256;
