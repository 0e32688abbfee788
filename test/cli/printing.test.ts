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
});
