import * as fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { mergeBytePairs, type TokenRanks } from "../../src/measure/byte-pairs.js";

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

function tokenRanks(ranks: ReadonlyMap<string, number>): TokenRanks {
  const pairRanks = new Int32Array(65_536).fill(-1);
  for (const [token, rank] of ranks) {
    if (token.length === 2) pairRanks[token.charCodeAt(0) * 256 + token.charCodeAt(1)] = rank;
  }
  return {
    ranks,
    pairRanks,
    maxTokenBytes: Math.max(...[...ranks.keys()].map((key) => key.length)),
  };
}

describe("byte pair merge", () => {
  it("does what its definition says for any ranks", () => {
    const token = fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 2, maxLength: 6 });
    fc.assert(
      fc.property(
        fc.uniqueArray(token, { maxLength: 40 }),
        fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 120 }),
        (tokens, bytes) => {
          const ranks = new Map(["a", "b", "c", ...tokens].map((text, rank) => [text, rank]));
          expect(mergeBytePairs(bytes, tokenRanks(ranks))).toEqual(mergeByDefinition(bytes, ranks));
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it("returns no ends for no bytes, and one for a single byte", () => {
    const ranks = new Map([["a", 0]]);
    expect(mergeBytePairs("", tokenRanks(ranks))).toEqual([]);
    expect(mergeBytePairs("a", tokenRanks(ranks))).toEqual([1]);
  });

  it("looks up a number of pairs that grows with the length, not with its square", () => {
    const ranks = new Map([
      ["a", 0],
      ["aa", 1],
      ["aaaa", 2],
    ]);
    const lookups = vi.spyOn(ranks, "get");
    expect(mergeBytePairs("a".repeat(20_000), tokenRanks(ranks))).toHaveLength(5_000);
    expect(lookups.mock.calls.length).toBeLessThan(4 * 20_000);
  });
});
