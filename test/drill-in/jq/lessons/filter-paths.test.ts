import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { pathsOf } from "../../../../src/drill-in/jq/lessons/filter-paths.js";
import { listOf, pathText, ROOT } from "../../../../src/drill-in/jq/lessons/places.js";
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
    expect(pathsOf(filter, ROOT).paths.map(({ text }) => text)).toEqual(texts);
  });

  it.each(["$b.a", "$b[].a", "(1).a", '"x".a', "..", ".", ".[0]", "1.5"])(
    "are none in %s",
    (filter) => {
      expect(pathsOf(filter, ROOT).paths.map(({ names }) => names)).toEqual([]);
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
    ["[.[].a] | max", ".[].a", "max", 0],
  ])("are compared in %s", (filter, text, operator, value) => {
    expect(pathsOf(filter, ROOT).comparisons).toMatchObject([{ text, operator, value }]);
  });

  it.each([
    "select(.a == .b)",
    "select(.a == $x)",
    'select(.a == "\\(.b)")',
    "select(.a | length > 3)",
    "map(select(.a)) | add",
  ])("are compared with no value in %s", (filter) => {
    expect(pathsOf(filter, ROOT).comparisons).toEqual([]);
  });

  it.each([
    [".a[] | .b", [".a[]", ".a[].b"]],
    ['.a | select(.b == "x" and .c == 1) | .d', [".a", ".a.b", ".a.c", ".a.d"]],
    [".a | map(select(.b)) | .[0].c", [".a", ".a[].b", ".a[].c"]],
    ["[.a[].b] | unique | .[:2]", [".a[].b"]],
    ["select(any(.a[]; .b == 1)) | .c", [".a[]", ".a[].b", ".c"]],
    ["(.a // []) | all(.b)", [".a", ".a[].b"]],
    [".a as $x | .b | .c", [".a", ".b", ".b.c"]],
    ["{x: .a | .b, y: .c} ", [".a", ".a.b", ".c"]],
    ["if .a then .b else .c end", [".a", ".b", ".c"]],
    ["first(inputs) | .a", [".a"]],
    ["[inputs] | group_by(.a) | map({k: .[0].a, b: map(.b) | add})", [".a", ".a", ".b"]],
    ["limit(2; .a[]) | .b", [".a[]", ".a[].b"]],
    [".a[.b] | .c", [".a", ".b", "?"]],
    [".a, .b | .c", [".a", ".b", "?"]],
    ["$x | .a", ["?"]],
    [".a | to_entries[] | .value", [".a", "?"]],
    ["{a: .b} | .a", [".b", "?"]],
    [".. | .a", ["?"]],
    ["def f: .a; .b | f | .c", ["?", "?", "?"]],
    ["reduce .a[] as $x (0; . + .b)", ["?", "?"]],
    ["try .a catch .b", [".a", "?"]],
  ])("begin where what stands before leads: %s", (filter, places) => {
    const { paths } = pathsOf(filter, ROOT);
    const found = paths.map(({ steps, isPlaced }) => (isPlaced ? pathText(steps) : "?"));
    expect(found).toEqual(places);
  });

  it("begin at the records where the filter sees all of them", () => {
    const { paths } = pathsOf("sort_by(.a) | map(.b | .c) | .[0].d", listOf(ROOT));
    expect(paths.map(({ steps }) => pathText(steps))).toEqual([".a", ".b", ".b.c", ".b.c.d"]);
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
        for (const path of pathsOf(text, ROOT).paths) expect(text).toContain(path.text);
      }),
    );
  });
});
