import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { truncateOutput, type TruncatedOutput } from "../../../src/core/describe/truncate.js";
import type { Content } from "../../../src/core/types/content.js";
import { countTokens, valuesContent } from "./fixture.js";
import { issues } from "./samples.js";

async function truncate(
  text: string,
  limitTokens: number,
  content?: Content,
): Promise<TruncatedOutput & { readonly returnedTokens: number }> {
  const cut = await truncateOutput({
    content,
    text,
    totalTokens: 9_999,
    limit: { tokens: limitTokens },
    count: countTokens,
  });
  return { ...cut, returnedTokens: countTokens(cut.text) };
}

describe("truncation of records", () => {
  const records = issues(100);
  const text = JSON.stringify(records);

  it("returns whole records from the first on, and counts what is missing", async () => {
    const cut = await truncate(text, 1_600, valuesContent(records));
    const { returnedCount, returnedTokens } = cut;
    const { warning } = JSON.parse(cut.text);
    const expected = {
      offload_failed: true,
      truncated: true,
      warning,
      total_count: 100,
      returned_count: returnedCount,
      total_tokens: 9_999,
      records: records.slice(0, returnedCount),
    };
    expect(cut.text).toBe(JSON.stringify(expected));
    expect(returnedTokens).toBeLessThanOrEqual(1_600);
    // Not a token is wasted that another record could have had.
    const next = JSON.stringify(records[returnedCount!]);
    expect(returnedTokens + countTokens(`,${next}`)).toBeGreaterThan(1_590);
  });
});

describe("truncation of text", () => {
  it("never exceeds a limit that has room for the least, never splits a character, and never fails", async () => {
    const values = fc.array(
      fc.oneof(fc.jsonValue(), fc.string({ unit: "binary", maxLength: 400 })),
      { minLength: 1, maxLength: 30 },
    );
    const output = fc.oneof(
      values.map((list) => ({ text: JSON.stringify(list), content: valuesContent(list) })),
      fc
        .string({ unit: "grapheme", maxLength: 2_000 })
        .map((text) => ({ text, content: undefined })),
    );
    await fc.assert(
      fc.asyncProperty(output, fc.nat({ max: 600 }), async ({ text, content }, limitTokens) => {
        const cut = await truncate(text, limitTokens, content);
        if (cut.isWhole) expect(cut.text).toBe(text);
        else if (limitTokens > 400) expect(cut.returnedTokens).toBeLessThanOrEqual(limitTokens);
        expect(cut.text).not.toMatch(/\p{Surrogate}/u);
      }),
      { numRuns: 200 },
    );
  });
});
