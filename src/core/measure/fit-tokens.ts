import { mergeBytePairs, writePiece } from "./encoding/byte-pairs.js";
import { countTokens, createPieceCounter } from "./count-tokens.js";
import type { Encoding } from "./encoding/encoding.js";
import { NO_RANK } from "./encoding/rank-index.js";
import { segmentEnd, splitsSurrogatePair } from "./segments.js";

/** A prefix in UTF-16 units, never inside a surrogate pair. A slightly longer one may also fit. */
export function fitTokens(encoding: Encoding, text: string, limitTokens: number): number {
  let end = candidateEnd(encoding, text, limitTokens);
  // Cutting changes the last piece, which may add a token.
  for (let back = 1; end > 0 && countTokens(encoding, text.slice(0, end), limitTokens).overLimit;) {
    end = Math.max(0, end - back);
    if (splitsSurrogatePair(text, end)) end--;
    back *= 2;
  }
  return end;
}

function candidateEnd(encoding: Encoding, text: string, limitTokens: number): number {
  const countPiece = createPieceCounter(encoding);
  let tokens = 0;
  let end = 0;
  while (end < text.length) {
    const segment = text.slice(end, segmentEnd(text, end));
    for (const piece of encoding.splitPieces(segment)) {
      const pieceTokens = countPiece(piece);
      if (tokens + pieceTokens > limitTokens) {
        return end + fitPiece(encoding, piece, Math.floor(limitTokens - tokens));
      }
      tokens += pieceTokens;
      end += piece.length;
    }
  }
  return end;
}

/** Without a partial last character. */
function fitPiece({ ranks }: Encoding, piece: string, limitTokens: number): number {
  const bytes = new Uint8Array(3 * piece.length);
  const length = writePiece(piece, bytes);
  if (limitTokens < 1 || ranks.rankOf(bytes, 0, length) !== NO_RANK) return 0;
  const ends = new Int32Array(length);
  const tokens = mergeBytePairs(bytes, length, ranks, ends);
  const endByte = limitTokens < tokens ? ends[limitTokens - 1]! : length;
  let end = 0;
  let usedBytes = 0;
  for (const character of piece) {
    usedBytes += Buffer.byteLength(character, "utf8");
    if (usedBytes > endByte) break;
    end += character.length;
  }
  return end;
}
