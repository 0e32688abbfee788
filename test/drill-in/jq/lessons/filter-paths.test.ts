import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { pathsOf } from "../../../../src/drill-in/jq/lessons/filter-paths.js";
import { tokensOf } from "../../../../src/drill-in/jq/lessons/filter-tokens.js";

describe("the paths of a filter", () => {
  it.each([
    [".a.b", [".a.b"]],
    ['{x: .a."b c"[0].d?, y: .["e"].f}', ['.a."b c"[0].d?', '.["e"].f']],
    ['."b c" | .d', ['."b c"', ".d"]],
    ["map(.[].a[]?.b)", [".[].a[]?.b"]],
    ['"\\(.a) and \\(.b.c)"', [".a", ".b.c"]],
    ["[.. | .a?]", [".a?"]],
    ["# .no\n.yes", [".yes"]],
    ['".no"', []],
  ])("of %s", (filter, texts) => {
    expect(pathsOf(filter).paths.map(({ text }) => text)).toEqual(texts);
  });

  it.each(["$b.a", "$b[].a", "(1).a", '"x".a', "..", ".", ".[0]", "1.5"])(
    "are none in %s",
    (filter) => {
      expect(pathsOf(filter).paths.map(({ names }) => names)).toEqual([]);
    },
  );

  it.each([
    ['select(.a == "x")', ".a", "==", "x"],
    ['select("x" == .a)', ".a", "==", "x"],
    ["select(10 < .a.b)", ".a.b", ">", 10],
    ["select(.a >= 2.5e1)", ".a", ">=", 25],
    ["select(.a == true)", ".a", "==", true],
    ['select(.a | test("x"; "i"))', ".a", "test", "x"],
    ["sort_by(.a)", ".a", "sort_by", 0],
    ["[inputs | .a] | add", ".a", "add", 0],
    ["map(.a) | add", ".a", "add", 0],
  ])("are compared in %s", (filter, text, operator, value) => {
    expect(pathsOf(filter).comparisons).toMatchObject([{ text, operator, value }]);
  });

  it.each([
    "select(.a == .b)",
    "select(.a == $x)",
    'select(.a == "\\(.b)")',
    "select(.a | length > 3)",
  ])("are compared with no value in %s", (filter) => {
    expect(pathsOf(filter).comparisons).toEqual([]);
  });

  it("are found in anything, in pieces of it that follow one another", () => {
    const part = fc.constantFrom(
      ".a",
      '."b"',
      '"',
      "\\(",
      ")",
      "(",
      "[",
      "]",
      "#",
      "\n",
      "==",
      "1",
      "$x",
      "|",
      "\\",
      "..",
      "🦊",
    );
    const filter = fc.oneof(
      fc.string(),
      fc.array(part).map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(filter, (text) => {
        let end = 0;
        for (const token of tokensOf(text)) {
          expect(token.start).toBeGreaterThanOrEqual(end);
          expect(token.end).toBeGreaterThan(token.start - 1);
          end = token.end;
        }
        for (const path of pathsOf(text).paths) expect(text).toContain(path.text);
      }),
    );
  });
});
