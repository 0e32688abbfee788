import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createMeasure, type TokenizerName } from "../../../src/core/measure/measure.js";
import { NAMES, referenceCount } from "./encoding/encodings.js";
import { awkwardText, logText } from "./sample-texts.js";

describe("measure", () => {
  it("counts with o200k_base by default", async () => {
    const text = logText(3_000);
    const tokens = referenceCount("o200k_base", text);
    expect(await createMeasure().count(text)).toMatchObject({ tokens, exact: true });
  });

  it.each(NAMES)("counts with %s by name", async (tokenizer) => {
    const text = "def f(x):\n        return 'naïve 😀'";
    const tokens = referenceCount(tokenizer, text);
    expect(await createMeasure({ tokenizer }).count(text)).toMatchObject({ tokens, exact: true });
  });

  it("never throws, and counts UTF-16 units as characters, for any string", async () => {
    const tokenizers: readonly TokenizerName[] = ["o200k_base", "cl100k_base", "characters"];
    const anyText = fc.oneof(awkwardText(50), fc.string({ unit: "binary", maxLength: 300 }));
    const names = fc.constantFrom(...tokenizers);
    await fc.assert(
      fc.asyncProperty(anyText, names, fc.nat(100), async (text, tokenizer, limitTokens) => {
        const measure = createMeasure({ tokenizer });
        const result = await measure.measure(text, limitTokens);
        expect(result.characters).toBe(text.length);
        expect(result.tokens > limitTokens).toBe(result.overLimit);
        const end = await measure.fit(text, limitTokens);
        expect((await measure.measure(text.slice(0, end), limitTokens)).overLimit).toBe(false);
        expect(result.overLimit || end === text.length).toBe(true);
      }),
      { numRuns: 25 },
    );
  });
});
