import fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { SessionDetail } from "../../src/inspect/wire.js";
import { keptOutWords } from "../../src/inspect/page/session/answers.js";
import { shares } from "../../src/inspect/page/shares.js";
import type { JournalSession } from "../../src/plugins/journal/session.js";

it("shares of a whole add up to 100, each less than one from the exact one", () => {
  const amounts = fc.array(fc.nat(1_000_000), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(amounts, (numbers) => {
      const total = numbers.reduce((sum, number) => sum + number, 0);
      fc.pre(total > 0);
      const given = shares(numbers);
      expect(given.reduce((sum, share) => sum + share, 0)).toBe(100);
      for (const [place, share] of given.entries()) {
        expect(Math.abs(share - (100 * (numbers[place] ?? 0)) / total)).toBeLessThan(1);
      }
    }),
    { numRuns: 50 },
  );
  expect(shares([0, 0])).toEqual([0, 0]);
});

describe("the answers of a session", () => {
  /* oxlint-disable typescript/no-unsafe-type-assertion -- what the sentences are made of */
  const journalWith = (offloaded: number, agedResults: number, withoutTokens: number) =>
    ({
      counts: { offloaded },
      offloadedTokens: 5_000,
      agedResults,
      freedTokens: 900,
      inputTokens: { withTokens: 1_000, withoutTokens },
    }) as unknown as JournalSession;
  const detail = { calls: 4, tools: [] } as unknown as SessionDetail;
  /* oxlint-enable typescript/no-unsafe-type-assertion */

  it("begin with what was saved, where something was", () => {
    expect(keptOutWords(detail, journalWith(0, 3, 4_000))).toBe(
      "75 % of the ≈\u00A04,000 tokens that the same calls would have read without this library. No output was stored when it came. 3 results went stale: a line stands for each, which took ≈\u00A0900 tokens out of the context.",
    );
    expect(keptOutWords(detail, journalWith(0, 0, 900))).toBe("No output was stored when it came.");
  });
});
