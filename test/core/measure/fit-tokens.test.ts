import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fitTokens } from "../../../src/core/measure/encoding-counter.js";
import { wholeCharactersEnd } from "../../../src/util/safe-text.js";
import { countingEncoding, encodingOf, referenceCount } from "./encoding/encodings.js";
import {
  awkwardText,
  base64Text,
  chineseText,
  HOSTILE_UNITS,
  jsonText,
  logText,
  pseudoRandomLetters,
} from "./sample-texts.js";

describe("fitting prefix", () => {
  it("never has more tokens than the limit, nor half a surrogate pair", () => {
    for (const name of ["o200k_base", "cl100k_base"] as const) {
      const encoding = encodingOf(name);
      fc.assert(
        fc.property(awkwardText(40), fc.integer({ min: 0, max: 120 }), (text, limitTokens) => {
          const end = fitTokens(encoding, text, limitTokens);
          expect(referenceCount(name, text.slice(0, end))).toBeLessThanOrEqual(limitTokens);
          expect(wholeCharactersEnd(text, end)).toBe(end);
        }),
        { numRuns: 10 },
      );
    }
  });

  it("is the whole text when that has exactly the limit", () => {
    fc.assert(
      fc.property(awkwardText(40), (text) => {
        const tokens = referenceCount("o200k_base", text);
        expect(fitTokens(encodingOf("o200k_base"), text, tokens)).toBe(text.length);
      }),
    );
  });

  it("uses the limit up but for a few tokens", () => {
    for (const text of [jsonText(9_000), logText(9_000), chineseText(4_000), base64Text(9_000)]) {
      for (const limitTokens of [1, 10, 99, 1_600]) {
        const end = fitTokens(encodingOf("o200k_base"), text, limitTokens);
        const tokens = referenceCount("o200k_base", text.slice(0, end));
        expect(tokens).toBeLessThanOrEqual(limitTokens);
        expect(tokens).toBeGreaterThanOrEqual(limitTokens - 3);
      }
    }
  });

  it("ends inside a piece that is longer than the limit", () => {
    const encoding = encodingOf("o200k_base");
    expect(fitTokens(encoding, "a".repeat(50_000), 10)).toBe(80);
    expect(fitTokens(encoding, " ".repeat(50_000), 10)).toBe(1_280);
    expect(fitTokens(encoding, pseudoRandomLetters(50_000), 1_000)).toBeGreaterThan(1_500);
  });

  it("costs as much work as the limit asks for, however long the text is", () => {
    for (const unit of HOSTILE_UNITS) {
      const { encoding, lookups } = countingEncoding("o200k_base");
      const end = fitTokens(encoding, unit.repeat(1 << 20), 1_600);
      expect(end).toBeGreaterThan(500);
      expect(lookups()).toBeLessThan(1_000_000);
    }
  });
});
