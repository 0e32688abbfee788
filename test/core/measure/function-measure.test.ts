import * as fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { createMeasure } from "../../../src/core/measure/measure.js";
import { wholeCharactersEnd } from "../../../src/util/safe-text.js";
import { awkwardText } from "./sample-texts.js";

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

  it("fits the longest prefix for a function that grows with the text", () => {
    const measure = createMeasure({ tokenizer: (text) => text.length });
    fc.assert(
      fc.property(fc.nat(9_000), fc.nat(9_000), (length, limit) => {
        expect(measure.fit("x".repeat(length), limit)).toBe(Math.min(length, limit));
      }),
    );
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
