import { pieceSplitter } from "./piece-pattern.js";
import { buildRankIndex, type Encoding, openRankIndex } from "./rank-index.js";

export type EncodingName = "o200k_base" | "cl100k_base";

interface RankTable {
  readonly pat_str: string;
  /** Lines of `! firstRank token token …`, the tokens in base64 with consecutive ranks. */
  readonly bpe_ranks: string;
}

/** Special tokens such as `<|endoftext|>` are plain text. */
export function parseRankTable(table: RankTable): Encoding {
  const text = Buffer.from(table.bpe_ranks, "latin1");
  return {
    splitPieces: pieceSplitter(table.pat_str),
    ranks: openRankIndex(text, buildRankIndex(text)),
  };
}

/** Importing and indexing a table takes 30 ms, reading the prebuilt index 4 ms. */
export const ENCODINGS: Readonly<Record<EncodingName, () => Promise<Encoding>>> = {
  o200k_base: async () =>
    (await import("./prebuilt.js")).readPrebuilt() ??
    parseRankTable((await import("js-tiktoken/ranks/o200k_base")).default),
  cl100k_base: async () => parseRankTable((await import("js-tiktoken/ranks/cl100k_base")).default),
};
