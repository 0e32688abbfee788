import { Tiktoken, type TiktokenBPE } from "js-tiktoken/lite";
import cl100kBase from "js-tiktoken/ranks/cl100k_base";
import gpt2 from "js-tiktoken/ranks/gpt2";
import o200kBase from "js-tiktoken/ranks/o200k_base";
import p50kBase from "js-tiktoken/ranks/p50k_base";
import r50kBase from "js-tiktoken/ranks/r50k_base";
import { parseRankTable, type Encoding, type EncodingName } from "../../src/measure/encoding.js";

export const TABLES: Readonly<Record<EncodingName, TiktokenBPE>> = {
  o200k_base: o200kBase,
  cl100k_base: cl100kBase,
  p50k_base: p50kBase,
  r50k_base: r50kBase,
  gpt2,
};

export const NAMES: readonly EncodingName[] = [
  "o200k_base",
  "cl100k_base",
  "p50k_base",
  "r50k_base",
  "gpt2",
];

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
  class CountingMap extends Map<string, number> {
    override get(key: string): number | undefined {
      lookups++;
      return ranks.get(key);
    }
    override has(key: string): boolean {
      lookups++;
      return ranks.has(key);
    }
  }
  return { encoding: { ...rest, ranks: new CountingMap() }, lookups: () => lookups };
}
