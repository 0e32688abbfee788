import { expect, it } from "vitest";

import { LIMITS, measureDocuments, wholeTable } from "../../eval/whole/whole-documents.js";

it("reads every whole document to its end, and brings it into the context once", async () => {
  const measured = await measureDocuments();
  const sizes = measured.map(({ tokens }) => tokens);
  expect(Math.min(...sizes)).toBeGreaterThanOrEqual(2_000);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(12_000);
  expect(sizes.toSorted((one, other) => one - other)).toEqual(sizes);
  for (const { name, tokens, readings } of measured) {
    for (const [place, limit] of LIMITS.entries()) {
      const { calls = -1, enteredTokens = Infinity, readTokens, complete } = readings[place] ?? {};
      expect({ name, limit, complete }).toEqual({ name, limit, complete: true });
      expect({ name, limit, inline: calls === 0 }).toEqual({
        name,
        limit,
        inline: tokens <= limit,
      });
      expect(enteredTokens / tokens).toBeLessThanOrEqual(1.15);
      expect(enteredTokens).toBeGreaterThanOrEqual(tokens);
      expect(readTokens).toBeGreaterThanOrEqual(enteredTokens);
    }
  }
  expect(wholeTable(measured, LIMITS)).not.toContain("incomplete");
});
