import { describe, expect, it } from "vitest";
import {
  buildRankIndex,
  NO_RANK,
  openRankIndex,
} from "../../../../src/core/measure/encoding/rank-index.js";
import { encodingOf, NAMES, ranksOf, TABLES } from "./encodings.js";

describe("rank index", () => {
  it.each(NAMES)("of %s finds every token, and in the order of their ranks", (name) => {
    const { ranks } = encodingOf(name);
    const missing: string[] = [];
    let last = 0;
    for (const token of ranksOf(TABLES[name]).keys()) {
      const bytes = Buffer.from(token, "latin1");
      const rank = ranks.rankOf(bytes, 0, bytes.length);
      if (rank <= last || rank === NO_RANK) missing.push(token);
      last = rank;
      if (bytes.length === 2 && ranks.rankOfPair(bytes[0]!, bytes[1]!) !== rank)
        missing.push(token);
    }
    expect(missing).toEqual([]);
  });

  it.each(NAMES)("of %s finds nothing that is no token, however like one it is", (name) => {
    const { ranks } = encodingOf(name);
    const tokens = ranksOf(TABLES[name]);
    const found: string[] = [];
    for (const token of tokens.keys()) {
      for (const other of [`${token}\0`, `${token}\0\0`, token.slice(1), token.slice(0, -1)]) {
        const bytes = Buffer.from(other, "latin1");
        const isFound = ranks.rankOf(bytes, 0, bytes.length) !== NO_RANK;
        if (isFound !== tokens.has(other)) found.push(other);
      }
    }
    expect(found).toEqual([]);
  });

  it("is refused with another table than its own", () => {
    const text = (name: "o200k_base" | "cl100k_base"): Buffer =>
      Buffer.from(TABLES[name].bpe_ranks);
    const index = buildRankIndex(text("o200k_base"));
    expect(() => openRankIndex(text("cl100k_base"), index)).toThrow("of another table");
  });

  it("is refused where bytes of it are missing, as of a file that was not written to its end", () => {
    const text = Buffer.from(TABLES.cl100k_base.bpe_ranks);
    const index = buildRankIndex(text);
    for (const bytes of [0, 7, 8, 1_000, index.length >> 1, index.length - 1]) {
      expect(() => openRankIndex(text, index.subarray(0, bytes))).toThrow("not whole");
    }
    expect(() => openRankIndex(text, Buffer.concat([index, index]))).toThrow("not whole");
  });
});
