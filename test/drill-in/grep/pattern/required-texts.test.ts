import * as fc from "fast-check";
import { RE2JS } from "re2js";
import { describe, expect, it } from "vitest";

import {
  holdsInOrder,
  requiredTexts,
} from "../../../../src/drill-in/grep/pattern/required-texts.js";

const ATOMS =
  "a b c A . ^ $ é 🙂 \\. \\\\ \\d \\b \\W \\( [ab] [^a] []a] [^]] [[:alpha:]] [\\]] } ] \\x61 \\Qa.b\\E \\pL (?i) (?:a|b) -";
const atom = fc.constantFrom(...ATOMS.split(" "), " ", "|", "(", ")");
const repeat = fc.constantFrom(
  "",
  "",
  "",
  "",
  "*",
  "+",
  "?",
  "*?",
  "+?",
  "??",
  "{2}",
  "{0,1}",
  "{",
);
const pattern = fc
  .array(fc.tuple(atom, repeat), { minLength: 1, maxLength: 8 })
  .map((parts) => parts.flat().join(""));
const line = fc
  .array(fc.constantFrom(..."abcABC.()]}é\\- 1🙂"), { maxLength: 12 })
  .map((parts) => parts.join(""));

function compiled(text: string): RE2JS | undefined {
  try {
    return RE2JS.compile(text);
  } catch {
    return undefined;
  }
}

describe("texts that a pattern requires", () => {
  it("are in every line that it takes", () => {
    fc.assert(
      fc.property(pattern, fc.array(line, { minLength: 5 }), (text, lines) => {
        const regex = compiled(text);
        fc.pre(regex !== undefined);
        const texts = requiredTexts(text);
        for (const one of lines) if (regex.test(one)) expect(holdsInOrder(one, texts)).toBe(true);
      }),
      { numRuns: 5_000 },
    );
  });

  it("are those outside of groups and repetitions, in their order", () => {
    expect(requiredTexts("job (did|does) ret[a-z]y.*memory")).toEqual([
      "job ",
      " ret",
      "y",
      "memory",
    ]);
    expect(requiredTexts("ab*c+d")).toEqual(["a", "c", "d"]);
    expect(requiredTexts("a|b")).toEqual([]);
    expect(requiredTexts("(?i)abc")).toEqual([]);
    expect(requiredTexts("1\\.5")).toEqual(["1.5"]);
  });

  it("hold only in their order, none within another", () => {
    expect(holdsInOrder("xaby", ["a", "b"])).toBe(true);
    expect(holdsInOrder("xbay", ["a", "b"])).toBe(false);
    expect(holdsInOrder("aba", ["ab", "ba"])).toBe(false);
  });
});
