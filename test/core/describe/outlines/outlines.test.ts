import { describe, expect, it } from "vitest";
import type { ContentKind } from "../../../../src/core/types/content.js";
import { times } from "../samples.js";
import { outlineOf } from "../../../../src/core/describe/outlines/outline-of.js";
import { textContent } from "../fixture.js";
import { linesOf } from "./lines-of.js";

const entry = (n: number): string =>
  `2026-01-02 10:00:${10 + n} [main] ERROR shop.Users - Insert failed\norg.postgresql.util.PSQLException: ERROR: duplicate key\n`;
const cut = (name: string): string =>
  `diff --git a/${name} b/${name}\n--- a/${name}\n+++ b/${name}\n@@ -1,50 +1,50 @@\n one\n-x\n+y\n`;
const commit = (file: string): string =>
  `commit 1\n\ndiff --git ${file} ${file}\n--- ${file}\n+++ ${file}\n@@ -1 +1 @@\n-x\n+y\n`;
const traced = `${times(50, (n) => `2026-01-02T10:00:${10 + n}Z INFO took ${n} ms\n`).join("")}2026-01-02T11:00:00Z ERROR no route to 10.0.0.7
java.io.IOException: gone
\tat shop.Store.write(Store.java:88)
2026-01-02T12:00:00Z WARN retry`;
const mixed = times(200, (n) => {
  const [source, level] = n % 20 === 0 ? ["a b c d", "ERROR"] : ["main", "INFO"];
  return `2026-01-02 03:04:${10 + (n % 50)} [${source}] ${level} x ${n}`;
}).join("\n");
const worded = times(200, (n) => {
  const message = ["user ALERT settings saved", "got NO ERROR here", "INFO started"][n % 3];
  return `2026-01-02 03:04:${10 + (n % 50)} ${message}`;
}).join("\n");
const levelled = (level: string): string => `2026-01-02T10:00:00Z ${level} took 5 ms\n`;

/** Of texts by what they show, in their kind, some lines of the outline. */
const OUTLINES: readonly (readonly [string, ContentKind, string, readonly string[]])[] = [
  [
    "headings of Markdown with lines, and neither fences, badges nor front matter",
    "markdown",
    "---\ntitle: # none\n---\n# [![ci](https://x/y.svg)](https://x) Name `of` it\ntext\n```sh\n# a comment\n```\n## Use [the thing](https://x)\n\nUnderlined\n----------\n[![only a badge](https://x/y.svg)](https://z)\n",
    ["line: heading", "4: # Name of it", "9: ## Use the thing", "11: ## Underlined"],
  ],
  [
    "the headings of Markdown that begins with a rule",
    "markdown",
    "---\n\n# One\n\ntext\n",
    ["line: heading", "3: # One"],
  ],
  [
    "no headings within a fence, which only one as long ends, nor within a remark",
    "markdown",
    "# One\n````md\n```js\n# not a heading\n```\n````\n```\n```js\n# not one either\n```\n<!--\n# nor this\n-->\n<!-- # one line -->\n## Two\n",
    ["line: heading", "1: # One", "15: ## Two"],
  ],
  [
    "a long text by its beginning",
    "markdown",
    `# First\n\n${"words and words\n".repeat(200_000)}\n# Last\n\nend\n`,
    ["of the first 2.0 MB of 3.2 MB:", "line: heading", "1: # First"],
  ],
  [
    "the files of a diff with what was added and removed",
    "diff",
    "diff --git a/src/a.ts b/src/a.ts\nindex 1..2 100644\n--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1,3 +1,3 @@\n one\n-- two\n+++ three\n four\n--- old.txt\t2026\n+++ new.txt\t2026\n@@ -1 +1,2 @@\n-x\n+y\n+z\n",
    [
      "2 diffs with changed lines, +3 -2",
      "line: file (added, removed lines)",
      "3: src/a.ts (+1 -1)",
      "10: new.txt (+2 -1)",
    ],
  ],
  [
    "the files of a diff whose hunks somebody has cut short",
    "diff",
    cut("a") + cut("b"),
    [
      "2 diffs with changed lines, +2 -2",
      "line: file (added, removed lines)",
      "2: a (+1 -1)",
      "9: b (+1 -1)",
    ],
  ],
  [
    "the files of a diff in a directory of one letter",
    "diff",
    commit("p/main.ts") + commit("q/main.ts"),
    [
      "2 diffs with changed lines, +2 -2",
      "line: file (added, removed lines)",
      "4: p/main.ts (+1 -1)",
      "12: q/main.ts (+1 -1)",
    ],
  ],
  [
    "levels as they are written, since a search for them minds the case",
    "log",
    `${levelled("INFO").repeat(5)}\n${levelled("info").repeat(6)}`,
    [
      "11 lines have a time: first 2026-01-02T10:00:00Z (line 1), last 2026-01-02T10:00:00Z (line 12)",
      "levels: info 6 (first: line 7), INFO 5 (first: line 1)",
      "line 1: 2026-01-02T10:00:00Z INFO took 5 ms",
    ],
  ],
  [
    "the levels of lines with a time, not those of stack traces",
    "log",
    times(9, entry).join(""),
    [
      "9 lines have a time: first 2026-01-02 10:00:10 (line 1), last 2026-01-02 10:00:18 (line 17)",
      "levels: ERROR 9 (first: line 1)",
      "line 1: 2026-01-02 10:00:10 [main] ERROR shop.Users - Insert failed",
    ],
  ],
  [
    "how many lines of a log have a time, from when to when, the levels and one line",
    "log",
    traced,
    [
      "52 lines have a time: first 2026-01-02T10:00:10Z (line 1), last 2026-01-02T12:00:00Z (line 54)",
      "levels: INFO 50 (first: line 1), ERROR 1 (first: line 51), WARN 1 (first: line 54)",
      "line 1: 2026-01-02T10:00:10Z INFO took 0 ms",
    ],
  ],
  [
    "no levels of a log whose lines have them at no one place",
    "log",
    worded,
    [
      "200 lines have a time: first 2026-01-02 03:04:10 (line 1), last 2026-01-02 03:04:59 (line 200)",
      "line 1: 2026-01-02 03:04:10 user ALERT settings saved",
    ],
  ],
  [
    "of how many lines of a log the levels are",
    "log",
    mixed,
    [
      "200 lines have a time: first 2026-01-02 03:04:10 (line 1), last 2026-01-02 03:04:59 (line 200)",
      "levels of 190 of 200 lines: INFO 190 (first: line 2)",
      "line 1: 2026-01-02 03:04:10 [a b c d] ERROR x 0",
    ],
  ],
];

describe("an outline", () => {
  it.each(OUTLINES)("has %s", async (_, kind, text, lines) => {
    expect(await linesOf(kind, text)).toEqual(lines);
  });
});

describe("the outline of a log", () => {
  it.each([
    ["2026-01-02 10:00:00 job finished with NO ERROR", "2026-01-02 10:00:00 user ALERT settings"],
    ["2026-01-02 10:00:00 the INFO desk", "2026-01-02 10:00:00 closed at noon today"],
  ])("has no levels where they are words of sentences: %j and %j", async (one, other) => {
    const lines = await linesOf("log", `${`${one}\n`.repeat(9)}${`${other}\n`.repeat(9)}`);
    expect(lines[0]).toMatch(/^18 lines have a time/);
    expect(lines.filter((line) => line.startsWith("levels"))).toEqual([]);
  });

  it.each([
    ["2026-01-02T10:00:00Z 0 [Warning] [MY-1] a", "2026-01-02T10:00:00Z 0 [ERROR] b", "Warning"],
    [
      "[Wed Jan 02 10:00:00 2026] [core:warn] a",
      "[Wed Jan 02 10:00:00 2026] [core:error] b",
      "warn",
    ],
    ["2026-01-02T10:00:00Z\tinfo\ta.go:1\ta", "2026-01-02T10:00:00Z\terror\ta.go:1\tb", "info"],
    ["2026-01-02 10:00:00 - app - INFO - a", "2026-01-02 10:00:00 - app - ERROR - b", "INFO"],
    ["[10:00:00 WRN] a", "[10:00:00 ERR] b", "WRN"],
    [
      "time=2026-01-02T10:00:00Z level=info msg=a",
      "time=2026-01-02T10:00:00Z level=error msg=b",
      "info",
    ],
    [
      "[2026-01-02T10:00:00,123][WARN ][o.e.N] a",
      "[2026-01-02T10:00:00,123][ERROR][o.e.N] b",
      "WARN",
    ],
    ["INFO[0001] a", "ERROR[0002] b", "INFO"],
  ])("has the levels of %j and %j", async (often, once, level) => {
    const [told = ""] = (await linesOf("log", `${`${often}\n`.repeat(6)}${once}\n`)).filter(
      (line) => line.startsWith("levels: "),
    );
    expect(told).toMatch(
      new RegExp(
        `^levels: ${level} 6 \\(first: line 1\\), (?:ERR|ERROR|error) 1 \\(first: line 7\\)$`,
      ),
    );
  });
});

describe("the outline of source code", () => {
  it.each([
    [
      "export class A extends B {\n  constructor(private a: string) {\n    super();\n  }\n\n  async run(x: number): Promise<void> {\n    if (x) {\n    }\n  }\n}\n\nexport const f = async (x: string) => {\n  return x;\n};\n",
      [
        "1: class A extends B",
        "2:   constructor(private a: string)",
        "6:   async run(x: number): Promise<void>",
        "12: const f = async (x: string)",
      ],
    ],
    [
      "import os\n\nclass A:\n    def m(self):\n        return 1\n\n    @property\n    def n(self):\n        pass\n\n# a comment\ndef top(a, b=1):\n    return a\n",
      ["3: class A", "4:   def m(self)", "8:   def n(self)", "12: def top(a, b=1)"],
    ],
    [
      "package a\n\ntype T struct {\n\tx int\n}\n\nfunc (t *T) Get(k string) (int, error) {\n\treturn 1, nil\n}\n",
      ["3: type T struct", "7: func (t *T) Get(k string) (int, error)"],
    ],
    [
      "pub struct S {\n    a: u8,\n}\n\nimpl S {\n    pub fn new() -> Self {\n        S { a: 1 }\n    }\n}\n",
      ["1: pub struct S", "5: impl S", "6:   pub fn new() -> Self"],
    ],
    [
      "public class A {\n    private int x;\n\n    public static void main(String[] args) {\n        run();\n    }\n}\n",
      ["1: public class A", "4:   public static void main(String[] args)"],
    ],
    [
      "int add(int a, int b)\n{\n  return a + b;\n}\n\nstatic void f(void) {\n}\n",
      ["1: int add(int a, int b)", "6: static void f(void)"],
    ],
    [
      "exports.x = function (a) {\n  return a;\n};\nmodule.exports = {\n  one(a) {\n  },\n  two: (b) => {\n  },\n};\nconst data = {\n  a: 1,\n};\n",
      ["1: exports.x(a)", "4: module.exports", "5:   one(a)", "7:   two: (b)"],
    ],
    [
      "CREATE TABLE users (\n  id int\n);\nCREATE INDEX i ON users (id);\n",
      ["1: CREATE TABLE users (", "4: CREATE INDEX i ON users (id);"],
    ],
  ])("has the definitions of %s", async (text, definitions) => {
    expect(await linesOf("code", text)).toEqual(["line: definition", ...definitions]);
  });
});

describe("definitions", () => {
  it("are none within strings of several lines", async () => {
    const python = await linesOf("code", [
      "class A:",
      '    """Says how.',
      "",
      "def not_one():",
      '    """',
      "    def f(self):",
      "        return '`' # it's `",
      "def g():",
      "    pass",
    ]);
    expect(python.slice(1).map((line) => line.replace(/^[\d-]+: */, ""))).toEqual([
      expect.stringContaining("class A"),
      expect.stringContaining("def f"),
      expect.stringContaining("def g"),
    ]);
    const script = await linesOf("code", [
      "class A {",
      "  f() {",
      "    return `",
      "function no() {",
      "# ${`x`}",
      "}`;",
      "  }",
      "  g() {}",
      "}",
      "function h() {}",
    ]);
    expect(script.some((line) => line.includes("no()"))).toBe(false);
    expect(script[1]).toMatch(/^1: class A/);
    expect(script.at(-1)).toMatch(/^10: function h/);
  });
});

it("a document that takes longer than 20 ms to outline is outlined elsewhere", async () => {
  const told: number[] = [];
  for (const count of [50, 2_000]) {
    const members = Object.fromEntries(times(count, (n) => [`q${n}`, { [`a${n}`]: { b: n } }]));
    const content = textContent(JSON.stringify(members), "json-document");
    await outlineOf(content, content.body.length, async ({ bytes }) => {
      told.push(bytes.length);
      return undefined;
    });
    if (count === 50) expect(told).toEqual([]);
  }
  expect(told[0]).toBeLessThan(131_072);
});
