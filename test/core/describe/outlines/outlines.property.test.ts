import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { textKind } from "../../../../src/core/content/text-kind.js";
import type { ContentKind } from "../../../../src/core/types/content.js";
import { linesOf } from "../fixture.js";

const KINDS = "text markdown log code diff xml html yaml json-document".split(
  " ",
) as readonly ContentKind[];
/** Lines that mean something in one kind or another. */
const MARKS =
  "# a|<a>|</a>|<b c='d'>|key: v|- k: v|def a():|@@ -1 +1 @@|```|2026-01-01 10:00:00 ERROR x|a:|'|\"|{|<!--|\u0000|\u2028";

const word = fc.constantFrom("alpha", "beta", "the", "gamma", "of", "delta");
const words = fc.array(word, { minLength: 1, maxLength: 4 }).map((all) => all.join(" "));
const filler = fc.oneof(
  words.map((text) => `${text}.`),
  fc.constant(""),
  fc.constant("  indented text"),
  fc.constant("- an item"),
);

it("an outline is no longer than it may be, and the same each time", async () => {
  const text = fc.oneof(
    fc.string({ unit: "binary", maxLength: 400 }),
    fc
      .array(fc.oneof(filler, fc.constantFrom(...MARKS.split("|"))), { maxLength: 40 })
      .map((all) => all.join("\n")),
  );
  await fc.assert(
    fc.asyncProperty(
      text,
      fc.constantFrom(...KINDS),
      fc.integer({ min: 0, max: 500 }),
      async (one, kind, room) => {
        const lines = await linesOf(kind, one, room);
        expect(lines.join("----").length).toBeLessThanOrEqual(room);
        expect(await linesOf(kind, one, room)).toEqual(lines);
      },
    ),
    { numRuns: 125 },
  );
});

describe("hostile text", () => {
  const MANY = 100_000;
  const texts: Readonly<Record<string, string>> = {
    "one line of a megabyte": "x".repeat(1_000_000),
    "a megabyte of brackets": "[".repeat(1_000_000),
    "a megabyte of tags": "<a>".repeat(333_000),
    "a tag that does not end": `<a ${"b='c' ".repeat(150_000)}`,
    "a megabyte of open comments": "<!--".repeat(250_000),
    "many declarations": "<!a>".repeat(250_000),
    "many headings": "# a\n".repeat(MANY),
    "nested headings": "# a\n## b\n### c\n".repeat(30_000),
    "many keys": Array.from({ length: MANY }, (_, n) => `k${n}: v`).join("\n"),
    "keys ever deeper": Array.from({ length: 1_000 }, (_, n) => `${" ".repeat(n)}k:`).join("\n"),
    "dashes in one line": "- ".repeat(400_000),
    "many definitions": "def a(b):\n    pass\n".repeat(MANY / 2),
    "many files": "--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b\n".repeat(30_000),
    "all different lines": Array.from(
      { length: MANY },
      (_, n) => `${n.toString(36)} ${(n * 7).toString(36)} z`,
    ).join("\n"),
    "NUL and control characters": "\u0000\u001b[31m\u202e\n".repeat(50_000),
    "quotes that stay open": `a: "${"b\n".repeat(200_000)}`,
  };

  it.each(Object.entries(texts))("is outlined within bounds: %s", async (_name, text) => {
    expect(KINDS).toContain(textKind(text));
    for (const kind of KINDS) {
      const lines = await linesOf(kind, text, 1_000);
      expect(lines.join("----").length).toBeLessThanOrEqual(1_000);
    }
  });
});
