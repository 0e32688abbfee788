import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pieceSplitter } from "../../../../src/core/measure/encoding/piece-pattern.js";
import { NAMES, TABLES } from "./encodings.js";
import { awkwardText } from "../sample-texts.js";

describe("pieces of a segment", () => {
  it.each(NAMES)("are those of %s's pattern, in ASCII and in anything else", (name) => {
    const { pat_str: source } = TABLES[name];
    const splitPieces = pieceSplitter(source);
    const ascii = fc.string({ unit: "binary-ascii", maxLength: 200 });
    fc.assert(
      fc.property(fc.oneof(ascii, wordsLike, awkwardText(40)), (segment) => {
        expect(splitPieces(segment)).toEqual(segment.match(new RegExp(source, "gu")) ?? []);
      }),
      { numRuns: 500 },
    );
  });
});

/** What the patterns tell apart, in any order. */
const wordsLike = fc
  .array(fc.constantFrom(..."a,bc,D,EF,1,234, ,  ,\n,\r,\t,'s,'LL,-,/,_,\v".split(",")))
  .map((parts) => parts.join(""));
