import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { printable } from "../../src/util/safe-text.js";
import { printableLine } from "../../src/cli/print.js";

const anyText = fc.string({ unit: "binary", maxLength: 200 });

describe("printable text", () => {
  it("has no character that a terminal acts on", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const shown = printable(text);
        expect(shown).not.toMatch(
          /(?![\t\n])\p{Cc}|[\u00ad\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/u,
        );
        expect(Buffer.from(shown).toString()).toBe(shown);
        expect(printableLine(text)).not.toMatch(/[\n\t]/);
        expect(printable(printable(text))).toBe(printable(text));
      }),
    );
  });

  it.each([
    ["\u001b]0;title\u0007", String.raw`\u001b]0;title\u0007`],
    ["a\r\nb", "a\nb"],
    ["progress\rover", String.raw`progress\u000dover`],
    ["\u009b31m", String.raw`\u009b31m`],
    ["\u202egnp.exe", String.raw`\u202egnp.exe`],
    ["cut \ud83d", String.raw`cut \ud83d`],
    ["\u{e0041}", String.raw`\u{e0041}`],
  ])("shows %j as %j", (text, shown) => {
    expect(printable(text)).toBe(shown);
  });
});
