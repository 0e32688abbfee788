import { describe, expect, it } from "vitest";
import { linesOf } from "./lines-of.js";

describe("the outline of Markdown", () => {
  it("has headings with lines and lengths, and neither fences, badges nor front matter", async () => {
    const text = [
      "---",
      "title: # none",
      "---",
      "# [![ci](https://x/y.svg)](https://x) Name `of` it",
      "text",
      "```sh",
      "# a comment",
      "```",
      "## Use [the thing](https://x)",
      "",
      "Underlined",
      "----------",
      '<h2 align="center">Centered</h2>',
      "[![only a badge](https://x/y.svg)](https://z)",
      "",
    ].join("\n");
    expect(await linesOf("markdown", text)).toEqual([
      "line: heading (how many lines)",
      "4: Name of it (11)",
      "9:   Use the thing (2)",
      "11:   Underlined (2)",
      "13:   Centered (2)",
    ]);
  });
});

describe("the outline of prose", () => {
  it("has numbered, named and underlined headings, and no list of sentences", async () => {
    const body = "Some words about it.\nAnd more.\n\n".repeat(3);
    const text = `Guide\n=====\n\n${body}1. First Part\n\n${body}1.1 Inner Part\n\n${body}CHAPTER II\n\n${body}`;
    expect(await linesOf("text", text)).toEqual([
      "line: heading (how many lines)",
      "1: Guide (45)",
      "13:     1. First Part (22)",
      "24:       1.1 Inner Part (11)",
      "35:   CHAPTER II (11)",
    ]);
    expect(
      await linesOf("text", "It is so.\n\nAnd here three words.\n\n- one\n".repeat(3)),
    ).toEqual([]);
  });
});

describe("the outline of a log", () => {
  const log = [
    ...Array.from(
      { length: 50 },
      (_, n) => `2026-01-0${1 + (n % 9)}T10:00:00Z INFO GET /users/${n} took ${n} ms`,
    ),
    "2026-01-09T11:00:00Z ERROR no route to 10.0.0.7",
    "2026-01-09T12:00:00Z WARN retry job 3f2b8c1e-1111-2222-3333-444455556666",
    "2026-01-09T13:00:00Z WARN retry job 00000000-1111-2222-3333-444455556666",
  ].join("\n");

  it("has the times, the levels, the last error and the kinds of lines with the first of each", async () => {
    expect(await linesOf("log", log)).toEqual([
      "2026-01-01T10:00:00Z to 2026-01-09T13:00:00Z",
      "INFO 50, WARN 2, ERROR 1",
      "last error, line 51: ERROR no route to 10.0.0.7",
      "line 1: 2026-01-01T10:00:00Z INFO GET /users/0 took 0 ms",
      "lines by kind, * and # for what varies:",
      "2x, first in line 52: WARN retry job #",
      "50x, first in line 1: INFO GET /users/# took # ms",
      "1 more kinds of lines not shown",
    ]);
  });
});

describe("the outline of a test report", () => {
  it.each([
    [
      "TAP version 13\nok 1 - a\nnot ok 2 - b\n  ---\n  message: x\n  ...\nok 3 - c\n# tests 3\n# pass 2\n# fail 1\n",
      ["8: # tests 3", "9: # pass 2", "10: # fail 1", "3: not ok 2 - b"],
    ],
    [
      "====== test session starts ======\n\ntests/a.py::test_x PASSED\ntests/a.py::test_y FAILED\n\n=== 1 failed, 1 passed in 0.1s ===\n",
      ["6: === 1 failed, 1 passed in 0.1s ===", "4: tests/a.py::test_y FAILED"],
    ],
    [
      "\u001b[32m ✓\u001b[39m test/a.test.ts (2 tests) 5ms\n FAIL  test/b.test.ts > is so\nAssertionError: no\n\n Test Files  1 failed | 1 passed (2)\n      Tests  1 failed | 3 passed (4)\n",
      [
        "5: Test Files  1 failed | 1 passed (2)",
        "6: Tests  1 failed | 3 passed (4)",
        "2: FAIL  test/b.test.ts > is so",
      ],
    ],
    [
      "PASS src/a.test.js\nFAIL src/b.test.js (5.2 s)\n  ✓ adds (2 ms)\n  ✕ takes away (1 ms)\n\nTest Suites: 1 failed, 1 passed, 2 total\nTests:       1 failed, 1 passed, 2 total\n",
      [
        "6: Test Suites: 1 failed, 1 passed, 2 total",
        "7: Tests:       1 failed, 1 passed, 2 total",
        "2: FAIL src/b.test.js (5.2 s)",
        "4: ✕ takes away (1 ms)",
      ],
    ],
    [
      "=== RUN   TestA\n--- PASS: TestA (0.00s)\n--- FAIL: TestB (0.01s)\n--- PASS: TestC (0.00s)\nFAIL\n",
      ["lines of tests: 2 passed, 1 failed", "3: --- FAIL: TestB (0.01s)"],
    ],
  ])("has what passed and failed in %j, and where", async (text, lines) => {
    expect(await linesOf("text", text)).toEqual(lines);
  });
});

describe("the outline of source code", () => {
  it.each([
    [
      "export class A extends B {\n  constructor(private a: string) {\n    super();\n  }\n\n  async run(x: number): Promise<void> {\n    if (x) {\n    }\n  }\n}\n\nexport const f = async (x: string) => {\n  return x;\n};\n",
      [
        "1-10: class A extends B",
        "2-4:   constructor(private a: string)",
        "6-9:   async run(x: number): Promise<void>",
        "12-14: const f = async (x: string)",
      ],
    ],
    [
      "import os\n\nclass A:\n    def m(self):\n        return 1\n\n    @property\n    def n(self):\n        pass\n\n# a comment\ndef top(a, b=1):\n    return a\n",
      ["3-9: class A", "4-5:   def m(self)", "8-9:   def n(self)", "12-13: def top(a, b=1)"],
    ],
    [
      "package a\n\ntype T struct {\n\tx int\n}\n\nfunc (t *T) Get(k string) (int, error) {\n\treturn 1, nil\n}\n",
      ["3-5: type T struct", "7-9: func (t *T) Get(k string) (int, error)"],
    ],
    [
      "pub struct S {\n    a: u8,\n}\n\nimpl S {\n    pub fn new() -> Self {\n        S { a: 1 }\n    }\n}\n",
      ["1-3: pub struct S", "5-9: impl S", "6-8:   pub fn new() -> Self"],
    ],
    [
      "public class A {\n    private int x;\n\n    public static void main(String[] args) {\n        run();\n    }\n}\n",
      ["1-7: public class A", "4-6:   public static void main(String[] args)"],
    ],
    [
      "int add(int a, int b)\n{\n  return a + b;\n}\n\nstatic void f(void) {\n}\n",
      ["1-4: int add(int a, int b)", "6-7: static void f(void)"],
    ],
    [
      "exports.x = function (a) {\n  return a;\n};\nA.prototype.y = function y(b) {\n};\nmodule.exports = {\n  one(a) {\n  },\n  two: (b) => {\n  },\n};\nconst data = {\n  a: 1,\n};\n",
      [
        "1-3: exports.x(a)",
        "4-5: A.prototype.y(b)",
        "6-11: module.exports",
        "7-8:   one(a)",
        "9-10:   two: (b)",
      ],
    ],
    [
      "CREATE TABLE users (\n  id int\n);\nCREATE INDEX i ON users (id);\n",
      ["1-3: CREATE TABLE users (", "4: CREATE INDEX i ON users (id);"],
    ],
  ])("has the definitions of %s", async (text, definitions) => {
    expect(await linesOf("code", text)).toEqual(["lines: definition", ...definitions]);
  });
});

describe("the outline of a diff", () => {
  it("has its files with what was added and removed", async () => {
    const text = [
      "diff --git a/src/a.ts b/src/a.ts",
      "index 1..2 100644",
      "--- a/src/a.ts",
      "+++ b/src/a.ts",
      "@@ -1,3 +1,3 @@",
      " one",
      "-- two",
      "+++ three",
      " four",
      "--- old.txt\t2026",
      "+++ new.txt\t2026",
      "@@ -1 +1,2 @@",
      "-x",
      "+y",
      "+z",
      "",
    ].join("\n");
    expect(await linesOf("diff", text)).toEqual([
      "2 files changed, +3 -2",
      "line: file (added, removed lines)",
      "1: src/a.ts (+1 -1)",
      "10: new.txt (+2 -1)",
    ]);
  });
});

describe("a long text", () => {
  it("is told by its beginning and its end, its lines by their numbers in the whole", async () => {
    const text = `# First\n\n${"words and words\n".repeat(200_000)}\n# Last\n\nend\n`;
    const lines = await linesOf("markdown", text);
    expect(lines).toEqual([
      "of the first 1.6 and last 0.4 MB of 3.2 MB:",
      "line: heading (how many lines)",
      expect.stringMatching(/^1: First \(\d+\)$/),
      "200004: Last (3)",
    ]);
  });
});
