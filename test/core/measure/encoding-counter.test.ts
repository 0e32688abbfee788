import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  countTokens,
  encodingCounter,
  EXACT_CHARACTERS,
  fitTokens,
} from "../../../src/core/measure/encoding-counter.js";
import type { Encoding } from "../../../src/core/measure/encoding/rank-index.js";
import {
  isPieceBoundary,
  SEGMENT_CHARACTERS,
  segmentEnd,
} from "../../../src/core/measure/segments.js";
import { wholeCharactersEnd } from "../../../src/util/safe-text.js";
import { countingEncoding, encodingOf, NAMES, referenceCount } from "./encoding/encodings.js";
import {
  awkwardText,
  base64Text,
  chineseText,
  HOSTILE_UNITS,
  jsonText,
  logText,
  pseudoRandomLetters,
} from "./sample-texts.js";

const encoding = encodingOf("o200k_base");

describe("segments", () => {
  it.each(NAMES)("can be counted apart at every piece boundary with %s", (name) => {
    const encoding = encodingOf(name);
    let boundaries = 0;
    fc.assert(
      fc.property(awkwardText(12), (text) => {
        const whole = countTokens(encoding, text).tokens;
        for (let index = 1; index < text.length; index++) {
          if (!isPieceBoundary(text, index)) continue;
          boundaries++;
          const left = countTokens(encoding, text.slice(0, index)).tokens;
          const right = countTokens(encoding, text.slice(index)).tokens;
          expect(left + right).toBe(whole);
        }
      }),
      { numRuns: 300 },
    );
    expect(boundaries).toBeGreaterThan(300);
  });

  it("end in the middle of a run that has no boundary", () => {
    expect(segmentEnd("a".repeat(20_000), 0)).toBe(SEGMENT_CHARACTERS);
    expect(segmentEnd(`x${"😀".repeat(20_000)}`, 1, 9)).toBe(9);
  });
});

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
        expect(fitTokens(encoding, text, tokens)).toBe(text.length);
      }),
    );
  });

  it("uses the limit up but for a few tokens", () => {
    for (const text of [jsonText(9_000), logText(9_000), chineseText(4_000), base64Text(9_000)]) {
      for (const limitTokens of [1, 10, 99, 1_600]) {
        const fitted = text.slice(0, fitTokens(encoding, text, limitTokens));
        expect(referenceCount("o200k_base", fitted)).toBeGreaterThanOrEqual(limitTokens - 3);
      }
    }
  });

  it("ends inside a piece that is longer than the limit", () => {
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

const totalTokens = (encoding: Encoding, text: string) =>
  encodingCounter(encoding).measure(text, 0);

describe("total tokens", () => {
  it("are exact up to 32,768 characters and estimated from one more", () => {
    const text = logText(EXACT_CHARACTERS + 1);
    const exactly = text.slice(0, -1);
    const { tokens } = countTokens(encoding, exactly);
    expect(totalTokens(encoding, exactly)).toMatchObject({ tokens, exact: true });
    expect(totalTokens(encoding, text).exact).toBe(false);
  });

  const jsonThenChinese = (length: number) => jsonText(length / 2) + chineseText(length / 2);

  it.each(
    [jsonText, logText, chineseText, base64Text, pseudoRandomLetters, jsonThenChinese].map(
      (makeText) => [makeText.name, makeText] as const,
    ),
  )("of %s are estimated within a twentieth", (_, makeText) => {
    for (const characters of [40_000, 200_000]) {
      const text = makeText(characters);
      const { tokens } = countTokens(encoding, text);
      expect(totalTokens(encoding, text).tokens / tokens).toBeGreaterThan(0.95);
      expect(totalTokens(encoding, text).tokens / tokens).toBeLessThan(1.05);
    }
  });

  it("take the same work for a long text as for a longer one", () => {
    const long = [jsonText, chineseText, base64Text].map((makeText) => makeText(1e6));
    for (const text of [...long, ...HOSTILE_UNITS.map((unit) => unit.repeat(2e6))]) {
      const { encoding, lookups } = countingEncoding("o200k_base");
      totalTokens(encoding, text);
      expect(lookups()).toBeLessThan(16 * EXACT_CHARACTERS);
    }
  });
});
