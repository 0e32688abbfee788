import { pieceSplitter } from "./piece-pattern.js";
import { buildRankIndex, NO_RANK, openRankIndex, type RankIndex } from "./rank-index.js";

export type EncodingName = "o200k_base" | "cl100k_base" | "p50k_base" | "r50k_base" | "gpt2";

export interface Encoding {
  readonly splitPieces: (segment: string) => readonly string[];
  readonly ranks: RankIndex;
}

export interface RankTable {
  readonly pat_str: string;
  /** Lines of `! firstRank token token …`, the tokens in base64 with consecutive ranks. */
  readonly bpe_ranks: string;
}

/**
 * Special tokens such as `<|endoftext|>` are plain text.
 *
 * @throws Error for a byte without a token, or text that is not base64.
 */
export function parseRankTable(table: RankTable): Encoding {
  const text = Buffer.from(table.bpe_ranks, "latin1");
  const ranks = openRankIndex(text, buildRankIndex(text));
  for (let byte = 0; byte < 256; byte++) {
    if (ranks.rankOf(Uint8Array.of(byte), 0, 1) === NO_RANK) {
      throw new Error(`The rank table has no token for the byte ${byte}.`);
    }
  }
  return { splitPieces: pieceSplitter(table.pat_str), ranks };
}
