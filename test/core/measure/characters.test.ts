import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { charactersCounter } from "../../../src/core/measure/characters.js";
import { awkwardText } from "./sample-texts.js";

const measure = charactersCounter(true);

describe("characters measure", () => {
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

  it("estimates a large text by its length", () => {
    const large = measure.measure("a".repeat(6_000_000), 1_600);
    expect(large).toMatchObject({ tokens: 1_500_000, exact: false, overLimit: true });
  });

  it("says that it is not exact where it stands in for another measure", () => {
    expect(charactersCounter(false).measure("abcde", 0)).toMatchObject({ tokens: 2, exact: false });
  });
});
