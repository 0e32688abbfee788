import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  limitsInTurn,
  partOfBudget,
  turnBudgetTokens,
} from "../../../../src/core/decide/turn/turn-budget.js";

describe("turn budget", () => {
  it("is a number of tokens, or a fraction of a window that is known", async () => {
    const around = (contextWindowTokens?: number, tokens?: number) => ({
      contextWindowTokens,
      tokens: async () => await Promise.resolve(tokens),
    });
    expect(await turnBudgetTokens({ tokens: 4000 }, around())).toBe(4000);
    expect(await turnBudgetTokens({ fraction: 0.57 }, around(100))).toBe(57);
    expect(await turnBudgetTokens({ fraction: 0.5 }, around())).toBeUndefined();
    expect(await turnBudgetTokens({ headroom: 0.7 }, around(100, 60))).toBe(10);
    expect(await turnBudgetTokens({ headroom: 0.7 }, around(100, 71))).toBe(0);
    expect(await turnBudgetTokens({ headroom: 1 }, around(100, 60))).toBeUndefined();
    expect(await turnBudgetTokens({ headroom: 0.7 }, around(100))).toBeUndefined();
    expect(await turnBudgetTokens({ headroom: 0.7 }, around())).toBeUndefined();
  });

  const candidates = fc.array(fc.record({ tokens: fc.nat(5000) }), {
    maxLength: 12,
  });

  it("is never exceeded, whatever is stored or cut", () => {
    fc.assert(
      fc.property(candidates, fc.nat(20_000), (given, roomTokens) => {
        const all = given.map((candidate, position) => ({ ...candidate, position }));
        const limits = limitsInTurn(all, roomTokens);
        const entering = all.map(({ tokens }, index) => Math.min(tokens, limits[index] ?? 0));
        // Those that leave may come back cut when storing fails, so they count with their limit as well.
        expect(entering.reduce((sum, tokens) => sum + tokens, 0)).toBeLessThanOrEqual(roomTokens);
      }),
    );
  });

  it("is never exceeded by the parts of its calls", () => {
    fc.assert(
      fc.property(
        fc.nat(100_000),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
        (budget, groups) => {
          const calls = groups.reduce((sum, group) => sum + group, 0);
          const parts = groups.map((group) => partOfBudget(budget, group, calls));
          expect(parts.reduce((sum, part) => sum + part, 0)).toBeLessThanOrEqual(budget);
        },
      ),
    );
  });
});
