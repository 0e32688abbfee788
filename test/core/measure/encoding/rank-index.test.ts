import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mergeBytePairs } from "../../../../src/core/measure/encoding/byte-pairs.js";
import {
  buildRankIndex,
  NO_RANK,
  openRankIndex,
  type RankIndex,
} from "../../../../src/core/measure/encoding/rank-index.js";
import { TABLES } from "./encodings.js";

describe("rank index", () => {
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

/** The definition, in quadratic time: merge the leftmost pair of lowest rank until there is none. */
function mergeByDefinition(bytes: string, ranks: ReadonlyMap<string, number>): number[] {
  const parts = bytes.split("");
  for (;;) {
    let best = -1;
    let bestRank = Number.POSITIVE_INFINITY;
    for (let index = 0; index + 1 < parts.length; index++) {
      const rank = ranks.get(parts[index]! + parts[index + 1]!) ?? Number.POSITIVE_INFINITY;
      if (rank < bestRank) [best, bestRank] = [index, rank];
    }
    if (best < 0) break;
    parts.splice(best, 2, parts[best]! + parts[best + 1]!);
  }
  let end = 0;
  return parts.map((part) => (end += part.length));
}

function rankIndex(ranks: ReadonlyMap<string, number>): RankIndex {
  const rankOf = (token: string): number => ranks.get(token) ?? NO_RANK;
  return {
    rankOf: (bytes, start, end) =>
      rankOf(Buffer.from(bytes.subarray(start, end)).toString("latin1")),
    rankOfPair: (first, second) => rankOf(String.fromCharCode(first, second)),
    maxTokenBytes: Math.max(...[...ranks.keys()].map((key) => key.length)),
  };
}

function merge(text: string, ranks: RankIndex): number[] {
  const bytes = Buffer.from(text, "latin1");
  const ends = new Int32Array(bytes.length);
  return [...ends.subarray(0, mergeBytePairs(bytes, bytes.length, ranks, ends))];
}

it("byte pair merge does what its definition says for any ranks", () => {
  const token = fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 2, maxLength: 6 });
  fc.assert(
    fc.property(
      fc.uniqueArray(token, { maxLength: 40 }),
      fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 400 }),
      (tokens, bytes) => {
        const ranks = new Map(["a", "b", "c", ...tokens].map((text, rank) => [text, rank]));
        expect(merge(bytes, rankIndex(ranks))).toEqual(mergeByDefinition(bytes, ranks));
      },
    ),
    { numRuns: 2_000 },
  );
});
