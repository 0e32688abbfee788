import { describe, expect, it } from "vitest";
import { startWorkCounter } from "../drill-in/count-work.js";
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
    [
      "yaml",
      "# c\nname: x\non:\n  push:\n    a: [a]\njobs:\n  - run: |\n      b: c\n      - d: e\n",
    ],
    ["yaml", "---\na: 1\nb: 2\nc: 3\n"],
    ["yaml", `a:\n  of:\n${"    - 1\n".repeat(4)}b:\n  of:\n${"    - 5\n".repeat(4)}`],
    ["yaml", "- name: a\n  hosts: b\n  tasks:\n    - ping:\n- name: c\n"],
    ["text", "From: a@b.c\nTo: d@e.f\nSubject: hello\nDate: today\n\nHello there.\n"],
    ["text", "Content-Type: text/html\nServer: x\nDate: y\nAge: 1\n"],
    ["text", '{\n  "a": {\n    "b": 1,\n    "c": 2,\n    "d": [\n      "cut off'],
    ["text", "- Usage: run it\n- Options: none at all\n- See: the page\n"],
    ["log", "INFO: started\nWARN: slow\nERROR: no\n"],
    ["diff", "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"],
    [
      "diff",
      "commit 0123456789abcdef\nAuthor: A <a@b>\n\n    Message\n\n--- a\n+++ b\n@@ -1,2 +1 @@\n",
    ],
    ["markdown", "# A\n\n```diff\n--- a\n+++ b\n@@ -1 +1 @@\n```\n\n- b\n- c\n"],
    ["code", "import a from 'a';\n\nexport function b(c) {\n  return c;\n}\n\nclass D {\n}\n"],
    [
      "code",
      "# Helpers\n\nimport os\n\n# One\ndef a():\n    return 1\n\n# Two\ndef b():\n    return 2\n",
    ],
    ["markdown", "# A\n\n```js\nfunction a() {\n}\nfunction b() {\n}\n```\n\n- one\n- two\n"],
    [
      "text",
      "We define a class of things.\nThe function of it is this.\nType one or two (or more).\n",
    ],
  ])("is %s for %j", (kind, text) => {
    expect(textKind(text)).toBe(kind);
  });

  it("is code with sentences and lists in comments, and text for reStructuredText with code", () => {
    const comment =
      "/**\n * A sentence that says a lot of it.\n * - one item\n * - two items\n */\n";
    expect(textKind(`${comment}export function f() {\n  return 1;\n}\n`.repeat(3))).toBe("code");
    const docstring = '"""\nA sentence that says a lot of it.\n\n- one item\n- two\n"""\n';
    const python = `def f(a):\n    return a\n\n\nclass B:\n    def g(self):\n        return self.x\n\n`;
    expect(textKind(docstring + python)).toBe("code");
    const rst =
      "Title\n=====\n\nA sentence that says a lot of it.\n\n.. code-block:: js\n\n   function f() {\n   }\n   function g() {\n   }\n\n";
    expect(textKind(rst.repeat(3))).toBe("text");
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
