import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countTokens } from "../../../src/core/measure/encoding-counter.js";
import {
  isPieceBoundary,
  SEGMENT_CHARACTERS,
  segmentEnd,
  splitsSurrogatePair,
} from "../../../src/core/measure/segments.js";
import { encodingOf, NAMES } from "./encoding/encodings.js";
import { awkwardText } from "./sample-texts.js";

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

  it("cover the text in order, within the maximum, and split no surrogate pair", () => {
    fc.assert(
      fc.property(awkwardText(60), fc.integer({ min: 2, max: 50 }), (text, maxCharacters) => {
        for (let start = 0; start < text.length;) {
          const end = segmentEnd(text, start, maxCharacters);
          expect(end).toBeGreaterThan(start);
          expect(end - start).toBeLessThanOrEqual(maxCharacters);
          expect(splitsSurrogatePair(text, end)).toBe(false);
          start = end;
        }
      }),
    );
  });

  it("end at the last boundary in reach", () => {
    expect(segmentEnd("one two three", 0, 9)).toBe(7);
    expect(segmentEnd('{"key":"value"}', 0, 8)).toBe(5);
  });

  it("end in the middle of a run that has no boundary", () => {
    expect(segmentEnd("a".repeat(20_000), 0)).toBe(SEGMENT_CHARACTERS);
    expect(segmentEnd(`x${"😀".repeat(20_000)}`, 1, 9)).toBe(9);
  });

  it("do not end between a word and the apostrophe or the mark that belongs to it", () => {
    expect(isPieceBoundary("don't", 3)).toBe(false);
    expect(isPieceBoundary("cafe\u0301", 4)).toBe(false);
    expect(isPieceBoundary("漢字😀", 2)).toBe(false);
    expect(isPieceBoundary("漢字，", 2)).toBe(true);
  });
});
