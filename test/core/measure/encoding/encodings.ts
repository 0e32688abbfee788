import { Tiktoken, type TiktokenBPE } from "js-tiktoken/lite";
import cl100kBase from "js-tiktoken/ranks/cl100k_base";
import o200kBase from "js-tiktoken/ranks/o200k_base";
import {
  parseRankTable,
  type EncodingName,
} from "../../../../src/core/measure/encoding/encoding.js";
import type { Encoding, RankIndex } from "../../../../src/core/measure/encoding/rank-index.js";

export const TABLES: Readonly<Record<EncodingName, TiktokenBPE>> = {
  o200k_base: o200kBase,
  cl100k_base: cl100kBase,
};

export const NAMES: readonly EncodingName[] = ["o200k_base", "cl100k_base"];

const parsed = new Map<EncodingName, Encoding>();

export function encodingOf(name: EncodingName): Encoding {
  const encoding = parsed.get(name) ?? parseRankTable(TABLES[name]);
  parsed.set(name, encoding);
  return encoding;
}

const references = new Map<EncodingName, Tiktoken>();

/** Tokens by js-tiktoken itself, with special tokens as plain text. */
export function referenceCount(name: EncodingName, text: string): number {
  const reference = references.get(name) ?? new Tiktoken(TABLES[name]);
  references.set(name, reference);
  return reference.encode(text, [], []).length;
}

/** An encoding that counts the look-ups in its ranks: the work of encoding. */
export function countingEncoding(name: EncodingName): {
  encoding: Encoding;
  lookups: () => number;
} {
  let lookups = 0;
  const { ranks, ...rest } = encodingOf(name);
  const counted: RankIndex = {
    ...ranks,
    rankOf: (bytes, start, end) => {
      lookups++;
      return ranks.rankOf(bytes, start, end);
    },
    rankOfPair: (first, second) => {
      lookups++;
      return ranks.rankOfPair(first, second);
    },
  };
  return { encoding: { ...rest, ranks: counted }, lookups: () => lookups };
}
