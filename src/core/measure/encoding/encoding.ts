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
 * @throws Error for a byte without a token.
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

/** Never rejects; `undefined` if it cannot be loaded. A promise only while it is loading. */
export type LazyEncoding = () => Encoding | undefined | Promise<Encoding | undefined>;

/** Importing and indexing a table takes 30 ms, reading the prebuilt index 4 ms. */
export function lazyEncoding(
  importTable: () => Promise<RankTable>,
  read?: () => Promise<Encoding | undefined>,
): LazyEncoding {
  let isLoaded = false;
  let encoding: Encoding | undefined;
  let loading: Promise<Encoding | undefined> | undefined;
  const loadOnce = async (): Promise<Encoding | undefined> => {
    try {
      encoding = (await read?.()) ?? parseRankTable(await importTable());
    } catch {
      // Counting continues with characters / 4.
    }
    isLoaded = true;
    return encoding;
  };
  return () => (isLoaded ? encoding : (loading ??= loadOnce()));
}

export const ENCODINGS: Readonly<Record<EncodingName, LazyEncoding>> = {
  o200k_base: lazyEncoding(
    async () => (await import("js-tiktoken/ranks/o200k_base")).default,
    async () => (await import("./prebuilt.js")).readPrebuilt("o200k_base"),
  ),
  cl100k_base: lazyEncoding(async () => (await import("js-tiktoken/ranks/cl100k_base")).default),
  p50k_base: lazyEncoding(async () => (await import("js-tiktoken/ranks/p50k_base")).default),
  r50k_base: lazyEncoding(async () => (await import("js-tiktoken/ranks/r50k_base")).default),
  gpt2: lazyEncoding(async () => (await import("js-tiktoken/ranks/gpt2")).default),
};
