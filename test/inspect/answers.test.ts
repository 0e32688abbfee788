import fc from "fast-check";
import { expect, it } from "vitest";

import { shares } from "../../src/inspect/page/shares.js";

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
