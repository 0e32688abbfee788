import { describe, expect, it } from "vitest";
import type { ContentKind } from "../../../../src/core/types/content.js";
import { times } from "../samples.js";
import { outlineOf } from "../../../../src/core/describe/outlines/outline-of.js";
import { linesOf, textContent } from "../fixture.js";

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
const OUTLINES: Partial<Record<ContentKind, readonly (readonly [string, string, string])[]>> = {
  markdown: [
    [
      "headings of Markdown with lines, and neither fences, badges nor front matter",
      "---\ntitle: # none\n---\n# [![ci](https://x/y.svg)](https://x) Name `of` it\ntext\n```sh\n# a comment\n```\n## Use [the thing](https://x)\n\nUnderlined\n----------\n[![only a badge](https://x/y.svg)](https://z)\n",
      "line: heading\n4: # Name of it\n9: ## Use the thing\n11: ## Underlined",
    ],
    [
      "the headings of Markdown that begins with a rule",
      "---\n\n# One\n\ntext\n",
      "line: heading\n3: # One",
    ],
    [
      "no headings within a fence, which only one as long ends, nor within a remark",
      "# One\n````md\n```js\n# not a heading\n```\n````\n```\n```js\n# not one either\n```\n<!--\n# nor this\n-->\n<!-- # one line -->\n## Two\n",
      "line: heading\n1: # One\n15: ## Two",
    ],
    [
      "no heading above a rule where no paragraph of the text's own begins",
      "Title\n===\n\n```\na\n```\n---\n~~~\nb\n~~~\n---\n<!-- a\nb -->\n---\n> c\nd\n---\n- e\nf\n---\n- g\n  h\n---\n- i\n\n  j\n---\n[k]: /k\n---\n<!-- l -->\nLast\n---\n",
      "line: heading\n1: # Title\n31: ## Last",
    ],
    [
      "a long text by its beginning",
      `# First\n\n${"words and words\n".repeat(200_000)}\n# Last\n\nend\n`,
      "of the first 2.0 MB of 3.2 MB:\nline: heading\n1: # First",
    ],
  ],
  diff: [
    [
      "the files of a diff with what was added and removed",
      "diff --git a/src/a.ts b/src/a.ts\nindex 1..2 100644\n--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1,3 +1,3 @@\n one\n-- two\n+++ three\n four\n--- old.txt\t2026\n+++ new.txt\t2026\n@@ -1 +1,2 @@\n-x\n+y\n+z\n",
      "2 diffs with changed lines, +3 -2\nline: file (added, removed lines)\n3: src/a.ts (+1 -1)\n10: new.txt (+2 -1)",
    ],
    [
      "the files of a diff whose hunks somebody has cut short",
      cut("a") + cut("b"),
      "2 diffs with changed lines, +2 -2\nline: file (added, removed lines)\n2: a (+1 -1)\n9: b (+1 -1)",
    ],
    [
      "the files of a diff in a directory of one letter",
      commit("p/main.ts") + commit("q/main.ts"),
      "2 diffs with changed lines, +2 -2\nline: file (added, removed lines)\n4: p/main.ts (+1 -1)\n12: q/main.ts (+1 -1)",
    ],
  ],
  log: [
    [
      "levels as they are written, since a search for them minds the case",
      `${levelled("INFO").repeat(5)}\n${levelled("info").repeat(6)}`,
      "11 lines have a time: first 2026-01-02T10:00:00Z (line 1), last 2026-01-02T10:00:00Z (line 12)\nlevels: info 6 (first: line 7), INFO 5 (first: line 1)\nline 1: 2026-01-02T10:00:00Z INFO took 5 ms",
    ],
    [
      "no times of a clock of twelve hours",
      "2026-01-10 01:00:00 PM INFO took 5 ms\n".repeat(6),
      "levels: INFO 6 (first: line 1)\nline 1: 2026-01-10 01:00:00 PM INFO took 5 ms",
    ],
    [
      "the levels of lines with a time, not those of stack traces",
      times(9, entry).join(""),
      "9 lines have a time: first 2026-01-02 10:00:10 (line 1), last 2026-01-02 10:00:18 (line 17)\nlevels: ERROR 9 (first: line 1)\nline 1: 2026-01-02 10:00:10 [main] ERROR shop.Users - Insert failed",
    ],
    [
      "how many lines of a log have a time, from when to when, the levels and one line",
      traced,
      "52 lines have a time: first 2026-01-02T10:00:10Z (line 1), last 2026-01-02T12:00:00Z (line 54)\nlevels: INFO 50 (first: line 1), ERROR 1 (first: line 51), WARN 1 (first: line 54)\nline 1: 2026-01-02T10:00:10Z INFO took 0 ms",
    ],
    [
      "no levels of a log whose lines have them at no one place",
      worded,
      "200 lines have a time: first 2026-01-02 03:04:10 (line 1), last 2026-01-02 03:04:59 (line 200)\nline 1: 2026-01-02 03:04:10 user ALERT settings saved",
    ],
    [
      "the times of a log of Ruby",
      "I, [2026-01-01T10:00:12.1 #12]  INFO -- : m\n".repeat(9),
      "9 lines have a time: first 2026-01-01T10:00:12.1 (line 1), last 2026-01-01T10:00:12.1 (line 9)\nlevels: INFO 9 (first: line 1)\nline 1: I, [2026-01-01T10:00:12.1 #12]  INFO -- : m",
    ],
    [
      "of how many lines of a log the levels are",
      mixed,
      "200 lines have a time: first 2026-01-02 03:04:10 (line 1), last 2026-01-02 03:04:59 (line 200)\nlevels of 190 of 200 lines: INFO 190 (first: line 2)\nline 1: 2026-01-02 03:04:10 [a b c d] ERROR x 0",
    ],
  ],
};

const all = Object.entries(OUTLINES).flatMap(([kind, some]) =>
  some.map((one) => [...one, kind as ContentKind] as const),
);
it.each(all)("an outline has %s", async (_, text, lines, kind) => {
  expect((await linesOf(kind, text)).join("\n")).toBe(lines);
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

  const AT = "10:00:00";
  it.each([
    ["2026-01-02T10:00:00Z 0 [Warning] [MY-1] a", "2026-01-02T10:00:00Z 0 [ERROR] b", "Warning"],
    [`[Wed Jan 02 ${AT} 2026] [core:warn] a`, `[Wed Jan 02 ${AT} 2026] [core:error] b`, "warn"],
    ["2026-01-02T10:00:00Z\tinfo\ta.go:1\ta", "2026-01-02T10:00:00Z\terror\ta.go:1\tb", "info"],
    ["2026-01-02 10:00:00 - app - INFO - a", "2026-01-02 10:00:00 - app - ERROR - b", "INFO"],
    ["[10:00:00 WRN] a", "[10:00:00 ERR] b", "WRN"],
    [`time=2026-01-02T${AT}Z level=info msg=a`, `time=2026-01-02T${AT}Z level=error b=c`, "info"],
    [`[2026-01-02T${AT},1][WARN ][o.e.N] a`, `[2026-01-02T${AT},1][ERROR][o.e.N] b`, "WARN"],
    ["INFO[0001] a", "\u001b[1;31mERROR[0002] b\u001b[0m", "INFO"],
    ["I1128 10:00:12.123456 1 c.go:12] m", "E1128 10:00:12.123456 1 c.go:12] m", "I"],
  ])("has the levels of %j and %j", async (often, once, level) => {
    const [told = ""] = (await linesOf("log", `${`${often}\n`.repeat(6)}${once}\n`)).filter(
      (line) => line.startsWith("levels: "),
    );
    expect(told).toMatch(
      new RegExp(
        `^levels: ${level} 6 \\(first: line 1\\), (?:E|ERR|ERROR|error) 1 \\(first: line 7\\)$`,
      ),
    );
  });
});

it.each([
  [
    "export class A extends B {\n  constructor(private a: string) {\n    super();\n  }\n\n  async run(x: number): Promise<void> {\n    if (x) {\n    }\n  }\n}\n\nexport const f = async (x: string) => {\n  return x;\n};\n",
    "1: class A extends B\n2:   constructor(private a: string)\n6:   async run(x: number): Promise<void>\n12: const f = async (x: string)",
  ],
  [
    "import os\n\nclass A:\n    def m(self):\n        return 1\n\n    @property\n    def n(self):\n        pass\n\n# a comment\ndef top(a, b=1):\n    return a\n",
    "3: class A\n4:   def m(self)\n8:   def n(self)\n12: def top(a, b=1)",
  ],
  [
    "package a\n\ntype T struct {\n\tx int\n}\n\nfunc (t *T) Get(k string) (int, error) {\n\treturn 1, nil\n}\npublic class A {\n    private int x;\n\n    public static void main(String[] args) {\n        run();\n    }\n}\n",
    "3: type T struct\n7: func (t *T) Get(k string) (int, error)\n10: public class A\n13:   public static void main(String[] args)",
  ],
  [
    "pub struct S {\n    a: u8,\n}\n\nimpl S {\n    pub fn new() -> Self {\n        S { a: 1 }\n    }\n}\nimpl<'a, T: Fn() -> u8> A<'a, T>\nwhere\n    T: B,\n{\n    fn f<K>(&self) -> u8 {\n    }\n}\nimpl<T> C for A<T> {\n}\n",
    "1: pub struct S\n5: impl S\n6:   pub fn new() -> Self\n10: impl<'a, T: Fn() -> u8> A<'a, T>\n14:   fn f<K>(&self) -> u8\n17: impl<T> C for A<T>",
  ],
  [
    "int add(int a, int b)\n{\n  return a + b;\n}\n\nstatic void f(void) {\n}\nclass A\n{\npublic:\n    A(int a) : a_(a)\n    {\n    }\n    void f(int a) const\n    {\n        g(a)\n    }\n};\n",
    "1: int add(int a, int b)\n6: static void f(void)\n8: class A\n11:   A(int a) : a_(a)\n14:   void f(int a) const",
  ],
  [
    'exports.x = function (a) {\n  return a;\n};\nmodule.exports = {\n  one(a) {\n  },\n  two: (b) => {\n  },\n};\nconst data = {\n  a: 1,\n};\nimport {\n  type Foo,\n  type Bar as Baz,\n} from "./x.js";\n\nexport function f(a: number): number {\n  return a;\n}\n',
    "1: exports.x(a)\n4: module.exports\n5:   one(a)\n7:   two: (b)\n18: function f(a: number): number",
  ],
  [
    "namespace N\n{\n    class A<T>\n        where T : B\n    {\n        public A(B b)\n            : base(b)\n        {\n            run(a,\n                b)\n        }\n\n        public T Get<K>(\n            K key)\n        {\n            if (a)\n            {\n            }\n        }\n    }\n}\n",
    "1: namespace N\n3:   class A<T>\n6:     public A(B b)\n13:     public T Get<K>(",
  ],
  [
    "class A {\n  constructor(\n    private a: B,\n    b: (c: D) => void,\n  ) {\n  }\n\n  async find<T>(id: string): Promise<T> {\n  }\n}\nconst f = <T,>(x: T): T => {\n};\nfunction g(\n  h: (i: object) => void,\n): A {\n}\n",
    "1: class A\n2:   constructor(\n8:   async find<T>(id: string): Promise<T>\n11: const f = <T,>(x: T): T\n13: function g(",
  ],
  [
    "class A {\n    fun <T> f(a: T) = a\n}\nA.b = <T,>(x: T) => {\n};\nCREATE TABLE users (\n  id int\n);\nCREATE INDEX i ON users (id);\n",
    "1: class A\n2:   fun <T> f(a: T) = a\n4: A.b = <T,>(x: T)\n6: CREATE TABLE users (\n9: CREATE INDEX i ON users (id);",
  ],
])("the outline of source code has the definitions of %s", async (text, definitions) => {
  expect((await linesOf("code", text)).slice(1).join("\n")).toBe(definitions);
});

it("a diff whose changed lines have no mark has no outline", async () => {
  const words = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n [-x-]{+y+}\n".repeat(9);
  expect(await linesOf("diff", words)).toEqual([]);
});

it("definitions are none within strings of several lines", async () => {
  const python =
    'class A:\n    """Says how.\n\ndef not_one():\n    """\n    def f(self):\n        return \'`\' # it\'s `\ndef g():\n    pass';
  const of = async (text: string) => (await linesOf("code", text)).slice(1).join();
  expect(await of(python)).toMatch(/^1: class A[^,]*,6: *def f[^,]*,8: *def g[^,]*$/);
  const script =
    "class A {\n  f() {\n    return `\nfunction no() {\n# ${`x`}\n}`;\n  }\n  g() {}\n}\nfunction h() {}";
  expect(await of(script)).toMatch(/^1: class A((?!no\(\)).)*,10: function h[^,]*$/);
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

/** What runners print, and what is told of it. */
const REPORTS: Readonly<Record<string, readonly [report: string, lines: string]>> = {
  "node --test, which names failures again": [
    "✔ a (1ms)\n✖ b (1ms)\n﹣ c (1ms) # SKIP\nℹ tests 3\nℹ suites 0\nℹ pass 1\nℹ fail 1\nℹ skipped 1\n\n✖ failing tests:\n\ntest at a.js:1:1\n✖ b (1ms)\n",
    "4: ℹ tests 3\n6: ℹ pass 1\n7: ℹ fail 1\n2: ✖ b (1ms)\n13: ✖ b (1ms)",
  ],
  "Mocha, which numbers failures": [
    "  Suite\n    ✔ a\n    1) b\n    - c\n    2) d\n\n  1 passing (1s)\n  1 pending\n  2 failing\n\n  1) Suite\n       b:\n     Error: x\n  2) Suite\n       d:\n     Error: y\n",
    "7: 1 passing (1s)\n8: 1 pending\n9: 2 failing\n11: 1) Suite\n14: 2) Suite",
  ],
  "TAP, in which what is to do does not fail": [
    "1..5\nok 1 - a\nnot ok 2 - b # TODO later\nok 3 - c # SKIP no network\nnot ok 4 - d\nok 5 - e\n",
    "1: 1..5\n5: not ok 4 - d",
  ],
  "pytest -v, which names failures again": [
    "a.py::a PASSED [ 25%]\na.py::b FAILED [ 50%]\na.py::c ERROR [ 75%]\na.py::d SKIPPED (no) [100%]\n\n=== short test summary info ===\nFAILED a.py::b - assert 0\nERROR c.py\n=== 1 failed, 1 passed, 1 skipped, 1 error in 2s ===\n",
    "9: === 1 failed, 1 passed, 1 skipped, 1 error in 2s ===\n2: a.py::b FAILED [ 50%]\n3: a.py::c ERROR [ 75%]\n7: FAILED a.py::b - assert 0\n8: ERROR c.py",
  ],
  "unittest, Gradle, minitest and ExUnit": [
    "ERROR: test_a (t.T.test_a)\nT > adds() FAILED\nT#adds [t.rb:5]:\n  1) test adds (T)\nRan 4 tests in 1s\n",
    "5: Ran 4 tests in 1s\n1: ERROR: test_a (t.T.test_a)\n2: T > adds() FAILED\n3: T#adds [t.rb:5]:\n4: 1) test adds (T)",
  ],
  "Vitest, which names failures again": [
    " ✓ a.test.ts (2 tests) 5ms\n ❯ b.test.ts (2 tests | 1 failed) 7ms\n   ✓ x 1ms\n   × y 3ms\n\n⎯⎯⎯ Failed Tests 1 ⎯⎯⎯\n\n FAIL  b.test.ts > y\n\n Test Files  1 failed | 1 passed (2)\n      Tests  1 failed | 3 passed (4)\n",
    "10: Test Files  1 failed | 1 passed (2)\n11: Tests  1 failed | 3 passed (4)\n2: ❯ b.test.ts (2 tests | 1 failed) 7ms\n4: × y 3ms\n8: FAIL  b.test.ts > y",
  ],
  "cargo test of many crates": [
    Array.from(
      { length: 6 },
      (_, n) =>
        `running 1 test\ntest a ... ${n === 0 ? "FAILED" : "ok"}\n\ntest result: ${n === 0 ? "FAILED. 0 passed; 1 failed" : "ok. 1 passed; 0 failed"}\n`,
    ).join("\n"),
    "the last 4 of 6 lines with totals:\n14: test result: ok. 1 passed; 0 failed\n19: test result: ok. 1 passed; 0 failed\n24: test result: ok. 1 passed; 0 failed\n29: test result: ok. 1 passed; 0 failed\n2: test a ... FAILED",
  ],
  "PHPUnit, whose lists begin anew": [
    "..FES\n\nThere was 1 error:\n\n1) T::a\nRuntimeException: x\n\n--\n\nThere was 1 failure:\n\n1) T::b\nFailed asserting\n\n--\n\nThere was 1 skipped test:\n\n1) T::c\nno\n\nERRORS!\nTests: 5, Assertions: 4, Errors: 1, Failures: 1, Skipped: 1.\n",
    "23: Tests: 5, Assertions: 4, Errors: 1, Failures: 1, Skipped: 1.\n5: 1) T::a\n12: 1) T::b",
  ],
  "RSpec, whose pending tests are no failures": [
    "..F*\n\nPending: (Failures listed here are expected)\n\n  1) A c\n\nFailures:\n\n  1) A b\n     Failure/Error: x\n\n4 examples, 1 failure, 1 pending\n\nFailed examples:\n\nrspec ./a_spec.rb:4 # A b\n",
    "12: 4 examples, 1 failure, 1 pending\n9: 1) A b",
  ],
  "nextest, which names failures again": [
    "    PASS [   0.005s] c a\n    FAIL [   0.007s] c b\n\n     Summary [   0.01s] 2 tests run: 1 passed, 1 failed, 0 skipped\n        FAIL [   0.007s] c b\n",
    "4: Summary [   0.01s] 2 tests run: 1 passed, 1 failed, 0 skipped\n2: FAIL [   0.007s] c b\n5: FAIL [   0.007s] c b",
  ],
  "Go, which tells a total for each package": [
    "=== RUN   TestA\n--- PASS: TestA (0.00s)\n--- SKIP: TestB (0.00s)\n--- FAIL: TestC (0.00s)\n    --- FAIL: TestC/sub (0.00s)\nFAIL\nFAIL\texample.com/a\t0.5s\n",
    "6: FAIL\n4: --- FAIL: TestC (0.00s)\n5: --- FAIL: TestC/sub (0.00s)\n7: FAIL\texample.com/a\t0.5s",
  ],
};

it.each(Object.entries(REPORTS))(
  "the outline of a test report has the runner's own totals, and the lines that say what failed: %s",
  async (_name, [report, lines]) => {
    for (const kind of ["text", "code", "markdown"] as const)
      expect((await linesOf(kind, report)).join("\n")).toBe(lines);
  },
);
