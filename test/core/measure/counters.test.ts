import * as fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { charactersCounter } from "../../../src/core/measure/characters.js";
import { createMeasure, type TokenizerName } from "../../../src/core/measure/measure.js";
import { wholeCharactersEnd } from "../../../src/util/safe-text.js";
import { NAMES, referenceCount } from "./encoding/encodings.js";
import { awkwardText } from "./sample-texts.js";

describe("characters measure", () => {
  const measure = charactersCounter(true);

  it("is over from one character more than four times the limit", () => {
    for (const [characters, tokens] of [
      [6_399, 1_600],
      [6_400, 1_600],
      [6_401, 1_601],
    ] as const) {
      const expected = { characters, tokens, exact: true, overLimit: tokens > 1_600 };
      expect(measure.measure("x".repeat(characters), 1_600)).toEqual(expected);
    }
  });

  it("counts what iterating over the characters counts", () => {
    fc.assert(
      fc.property(awkwardText(40), (text) => {
        expect(measure.measure(text, 0)).toMatchObject({
          tokens: Math.ceil(Array.from(text).length / 4),
          exact: true,
        });
      }),
    );
  });

  it("fits the longest prefix of at most four characters a token, and splits none", () => {
    fc.assert(
      fc.property(awkwardText(40), fc.integer({ min: 0, max: 30 }), (text, limitTokens) => {
        const expected = Array.from(text)
          .slice(0, limitTokens * 4)
          .join("");
        expect(text.slice(0, measure.fit(text, limitTokens))).toBe(expected);
      }),
    );
  });

  it("estimates a large text by its length, and is not exact where it stands in for another measure", () => {
    const large = measure.measure("a".repeat(6_000_000), 1_600);
    expect(large).toMatchObject({ tokens: 1_500_000, exact: false, overLimit: true });
    expect(charactersCounter(false).measure("abcde", 0)).toMatchObject({ tokens: 2, exact: false });
  });
});

describe("function measure", () => {
  it("asks the function once, for the whole text", () => {
    const countText = vi.fn<(text: string) => number>((text: string) => text.length);
    const measure = createMeasure({ tokenizer: countText });
    const over = { characters: 3, tokens: 3, exact: true, overLimit: true };
    expect(measure.measure("abc", 2)).toEqual(over);
    expect(measure.measure("abc", 3)).toMatchObject({ overLimit: false });
    expect(measure.count("abcd")).toMatchObject({ tokens: 4, exact: true });
    expect(countText.mock.calls).toEqual([["abc"], ["abc"], ["abcd"]]);
  });

  it.each([
    ["NaN", () => Number.NaN],
    ["a negative number", () => -1],
    ["infinity", () => Number.POSITIVE_INFINITY],
    // What JavaScript code may return despite the types.
    ["no number", (): number => JSON.parse('"7"')],
    ["nothing, but throws", (): number => expect.fail("no model")],
  ])("falls back on characters / 4 when the function returns %s", (_, countText) => {
    const measure = createMeasure({ tokenizer: countText });
    const over = { characters: 41, tokens: 11, exact: false, overLimit: true };
    expect(measure.measure("x".repeat(41), 10)).toEqual(over);
    expect(measure.count("x".repeat(40))).toMatchObject({ tokens: 10, exact: false });
    expect(measure.fit("x".repeat(5_000), 10)).toBe(40);
  });

  it("fits no prefix over the limit, and splits no surrogate pair, whatever the function", async () => {
    const moduli = fc.integer({ min: 2, max: 9 });
    await fc.assert(
      fc.asyncProperty(awkwardText(80), fc.nat(40), moduli, async (text, limit, modulus) => {
        const countText = ({ length }: string): number => (length % modulus) + length / 7;
        const end = await createMeasure({ tokenizer: countText }).fit(text, limit);
        expect(end === 0 || countText(text.slice(0, end)) <= limit).toBe(true);
        expect(wholeCharactersEnd(text, end)).toBe(end);
      }),
    );
  });

  it("asks for few prefixes, and for short ones first", () => {
    const countText = vi.fn<(text: string) => number>((text: string) => text.length / 4);
    expect(createMeasure({ tokenizer: countText }).fit("x".repeat(1e7), 1_000)).toBe(4_000);
    expect(countText.mock.calls.length).toBeLessThan(20);
    const longest = Math.max(...countText.mock.calls.map(([text]) => text.length));
    expect(longest).toBeLessThanOrEqual(8_192);
  });
});

describe("measure", () => {
  it.each([undefined, ...NAMES])(
    "counts with %s by name, or o200k_base by default",
    async (name) => {
      const text = "def f(x):\n        return 'naïve 😀'";
      const tokens = referenceCount(name ?? "o200k_base", text);
      const measure = createMeasure(name && { tokenizer: name });
      expect(await measure.count(text)).toMatchObject({ tokens, exact: true });
    },
  );

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
