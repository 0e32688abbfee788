import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { ledgerText, MAX_LEDGER_TOKENS } from "../../src/aging/ledger.js";
import { createMeasure } from "../../src/measure/measure.js";

const measure = createMeasure();
const count = async (text: string): Promise<number> => (await measure.count(text)).tokens;

describe("the ledger", () => {
  it("tells how full the context is, of what, what has left and what leaves next", async () => {
    const results = [
      { toolName: "search", tokens: 40, turnsAgo: 40, savedTokens: 38_000 },
      { toolName: "read_file", tokens: 9_000, turnsAgo: 22 },
      { toolName: "query", tokens: 19_000, turnsAgo: 12 },
      { toolName: "search", tokens: 6_000, turnsAgo: 1 },
    ];
    const parts = { usedTokens: 61_000, windowTokens: 100_000, triggerTokens: 70_000, results };
    expect(await ledgerText({ ...parts, readTool: "read_tool_output" }, count)).toBe(
      "[context: 61k of 100k tokens used, 39k left. Tool results 34k: last 5 turns 6.0k, up to 20 turns 19k, older 9.0k. " +
        "1 aged (38k saved, read_tool_output gives them back). Oldest large: read_file 9.0k, query 19k. " +
        "Old results leave above 70k; note what you still need.]",
    );
  });

  it("has at most 110 tokens, and nothing of a name that is no plain one", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            toolName: fc.oneof(fc.constant("search_issues"), fc.string({ unit: "binary" })),
            tokens: fc.nat({ max: 10_000_000 }),
            turnsAgo: fc.nat({ max: 400 }),
            savedTokens: fc.option(fc.nat({ max: 1_000_000 }), { nil: undefined }),
          }),
          { maxLength: 30 },
        ),
        fc.nat({ max: 10_000_000 }),
        fc.option(fc.nat({ max: 10_000_000 }), { nil: undefined }),
        async (results, usedTokens, windowTokens) => {
          const parts = { usedTokens, windowTokens, triggerTokens: 30_000, results };
          const text = await ledgerText({ ...parts, readTool: "read_tool_output" }, count);
          expect(await count(text)).toBeLessThanOrEqual(MAX_LEDGER_TOKENS);
          expect(text).toMatch(/^\[context: [\x20-\x7e]*\]$/);
        },
      ),
    );
  });
});
