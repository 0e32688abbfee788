import { describe, expect, it } from "vitest";
import { startWorkCounter } from "../drill-in/count-work.js";
import { identifyContent } from "../../../src/core/content/identify.js";
import { textKind } from "../../../src/core/content/text-kind.js";

describe("the kind of a text", () => {
  it.each([
    "2024-05-01T10:00:00Z starting",
    "2024-05-01 10:00:00,123 INFO a, b",
    "[2024-05-01 10:00:00] app.ERROR: no",
    "May  1 10:00:00 host app[1]: x",
    '127.0.0.1 - - [10/Oct/2000:13:55:36 -0700] "GET / HTTP/1.0" 200 1',
    "WARN  disk is full",
    "[error] it broke",
    "level=info msg=x",
    "I0501 10:00:00.1 1 main.go:1] x",
  ])("is log when lines begin with a time or a level: %s", (line) => {
    expect(textKind(`${line}\n`.repeat(3))).toBe("log");
  });

  it.each([
    ["xml", '<?xml version="1.0"?>\n<a>'],
    ["xml", "\ufeff<!-- c -->\n<!DOCTYPE rss>\n<rss version='2'><channel/></rss>\n"],
    ["html", "<!doctype html>\n<p>x"],
    ["html", '<?xml version="1.0"?><!DOCTYPE html PUBLIC "x"><html xmlns="y"></html>'],
    ["html", "<div class='a'>\n# no\n</div>\n"],
    ["text", "<name> is what it is called.\nIt ends <here>\n"],
    ["text", "<a> b </c>"],
    ["yaml", "# c\nname: x\non:\n  p:\n    a: [a]\njobs:\n  - run: |\n      b: c\n      - d: e\n"],
    ["yaml", "---\na: 1\nb: 2\nc: 3\n"],
    ["yaml", `a:\n  of:\n${"    - 1\n".repeat(4)}b:\n  of:\n${"    - 5\n".repeat(4)}`],
    ["text", "  File: a\n  Size: 1  Blocks: 8\nDevice: 1h/1d\nLinks: 1\n".repeat(9)],
    ["yaml", "- name: a\n  hosts: b\n  tasks:\n    - ping:\n- name: c\n"],
    ["text", "From: a@b.c\nTo: d@e.f\nSubject: hello\nDate: today\n\nHello there.\n"],
    ["text", `#!/bin/bash\n${'# Step\necho "1"\n'.repeat(9)}`],
    ["text", "# Option 1\noption_1=1\n".repeat(9)],
    ["text", "# A licence\n\n# Two\na=1\n\n# Three\nSome words of a longer text\n".repeat(9)],
    ["text", "class A(B):\n    id: int\n    s: str\n    t: str\n    u: str\n".repeat(9)],
    ["code", '"""\nA\n~~~~\n"""\nclass C:\n  def f(self):\n    g(\n\ndef t(c):\n  return s(c)\n'],
    ["markdown", "<p>\n</p>\n\n# Shop\n\n## Use\n\n- one\n\n<p>MIT</p>\n"],
    ["text", "1a2b fix(x): typo (#4)\nThe Matrix (1999)\nAnn Lee (a@x.c)\n".repeat(3)],
    ["text", "Content-Type: text/html\nServer: x\nDate: y\nAge: 1\n"],
    ["text", '{\n  "a": {\n    "b": 1,\n    "c": 2,\n    "d": [\n      "cut off'],
    ["text", "9780306406157 A book\n4155550000 Ann\n1073741824\t/srv/a\n"],
    ["log", "1714557600 a\n1714557600123 b\n1714557600.5 c\n"],
    ["text", "- Usage: run it\n- Options: none at all\n- See: the page\n"],
    ["log", "INFO: started\nWARN: slow\nERROR: no\n"],
    ["diff", "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"],
    ["diff", `${"diff --git a/x b/y\nrename from x\n".repeat(50)}--- a\n+++ b\n@@ -1,2 +1 @@\n`],
    ["diff", "commit 0123\nAuthor: A <a@b>\n\n    M\n\n--- a\n+++ b\n@@ -1,2 +1 @@\n"],
    ["markdown", "# A\n\n```diff\n--- a\n+++ b\n@@ -1 +1 @@\n```\n\n- b\n- c\n"],
    ["code", "import a from 'a';\n\nexport function b(c) {\n  return c;\n}\n\nclass D {\n}\n"],
    ["code", "# A\n\nimport os\n\n# B\ndef a():\n  return 1\n\n# C\ndef b():\n  return 2\n"],
    ["markdown", "# A\n\n```js\nfunction a() {\n}\nfunction b() {\n}\n```\n\n- one\n- two\n"],
    ["text", "We define a class of things.\nThe function of it is it.\nType one (or more).\n"],
    [
      "code",
      "/**\n * A sentence that says a lot of it.\n * - one\n * - two\n */\nfunction f() {\n}\n".repeat(
        3,
      ),
    ],
    [
      "code",
      '"""\nA sentence that says a lot of it.\n\n- one item\n- two\n"""\ndef f(a):\n    return a\n\n\nclass B:\n    def g(self):\n        return self.x\n\n',
    ],
    [
      "text",
      "Title\n=====\n\nA sentence that says a lot of it.\n\n.. code-block:: js\n\n   function f() {\n   }\n   function g() {\n   }\n\n".repeat(
        3,
      ),
    ],
  ])("is %s for %j", (kind, text) => {
    expect(textKind(text)).toBe(kind);
  });

  it("is found in the first 64 K characters, with bounded work", async () => {
    const line = `${"[".repeat(50_000)}\n`;
    const texts = [
      line.repeat(200) + "# T\n\n- a\n- b\n".repeat(9),
      `${"* ".repeat(30_000)}\n`.repeat(100),
    ];
    const counter = await startWorkCounter();
    for (const text of texts) {
      let kind: unknown;
      const work = await counter.count(async () => {
        kind = textKind(text);
      });
      expect(kind).toBe("text");
      expect(work).toBeLessThan(3_000_000);
    }
    await counter.stop();
  });
});

async function layoutOf(text: string): Promise<string> {
  return (await identifyContent(text)).layout;
}

const FRAMES = Array.from(
  { length: 40 },
  (_, line) => `  File "/srv/app/worker_${line % 3}.py", line ${line + 3}, in handle_${line % 5}`,
).join("\n");

// C17
describe("a text with as many commas or tabs in every line", () => {
  it.each([
    ["stack frames", FRAMES],
    ["Java's frames", "\tat org.app.Main(Main.java:1)\n".repeat(30)],
    ["names of people", "Lovelace, Ada\nHopper, Grace\nClarke, Joan\nNoether, Emmy"],
    ["prose", "In spring, it rains\nIn summer, it is hot\nIn autumn, leaves fall\nIn winter, snow"],
    ["calls", "move(3,4)\nturn(left,90)\nstop(now,1)"],
    ["a Markdown list", "- apples, pears\n- plums, nuts\n- figs, dates"],
    ["lines of a log", "INFO,started,12\nINFO,ready,13\nWARN,slow,99\nINFO,done,1"],
    ["an indented block", "\tone\n\ttwo\n\tthree\n\tfour"],
    ["changed files", "M\tsrc/a.ts\nA\tsrc/b.ts\nM\tsrc/c.ts\nM\tsrc/d.ts"],
    ["refs", "d3adb33f\trefs/heads/a\n0badf00d\trefs/heads/b\nfeedf00d1\trefs/heads/c"],
    ["cities and places without a header", "Paris,48.85,2.35\nOslo,59.91,10.75\nRome,41.9,12.5"],
    ["settled flags without a header", "wifi,true\nsound,false\nlight,true"],
    ["pairs whose first is repeated", "fruit,apple\nfruit,pear\nfruit,plum\nroot,leek"],
    ["a table that goes on as prose", "id,name\n1,a\n2,b\nand so on"],
  ])("is no table without a header: %s", async (_, text) => {
    expect(await layoutOf(text)).toBe("text");
  });

  it.each([
    ["words only", "group,person\n1st,Alan\nred,George\nred,Fred"],
    ["a space after each comma", "city, people\nParis, 2148000\nOslo, 709037\nRome, 2873000"],
    ["years for names", "country,1990,1991,1992\nChad,1,2,3\nPeru,4,5,6"],
    ["an unnamed index", ",0,1\n0,5,6\n1,7,8"],
    ["values that are missing", "id,score\na,1\nb,NA\nc,3\nd,4\ne,5"],
    ["a column that describes columns", "name,type,length\nid,int,8\nname,text,40\nname,text,20"],
    ["dates", "day,what\n2024-01-15,sync\n2024-01-16,review\n2024-01-17,plan"],
    ["a name that is a word for no", "No,Name\n1,Ann\n2,Ben\n3,Cid"],
    ["names with a slash above dates", "Date/Time,Place\n2024-01-15,a\n2024-01-16,b\n2024-01-17,a"],
    ["a unit above numbers", "car,km/h\na,120\nb,99.5\na,101"],
    ["an inch", 'size 5" wide,price\n3,1.5\n4,2.5'],
    ["names that end with a dot", "Invoice No.,Customer,Total\nINV-1,Ann,1.5\nINV-2,Ben,2.5"],
    ["names that begin with digits", "coin,price,1h,24h,7d\nbtc,1,2,3,4\neth,5,6,7,8"],
    ["one name like its values", "rank,owner/repo,stars\n1,a/b,3\n2,c/d,4"],
  ])("is a table under a header: %s", async (_, text) => {
    expect(await layoutOf(text)).toBe("rows");
  });
});
