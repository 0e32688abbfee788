import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countTokens } from "../../../src/core/measure/encoding-counter.js";
import {
  isPieceBoundary,
  SEGMENT_CHARACTERS,
  segmentEnd,
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

  it("end in the middle of a run that has no boundary", () => {
    expect(segmentEnd("a".repeat(20_000), 0)).toBe(SEGMENT_CHARACTERS);
    expect(segmentEnd(`x${"😀".repeat(20_000)}`, 1, 9)).toBe(9);
  });
});
