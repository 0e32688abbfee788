import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { printableLine } from "../../src/cli/print.js";
import { grouped } from "../../src/util/amounts.js";
import { printable } from "../../src/util/safe-text.js";
import { decodeText, encodeText } from "../../src/util/text-encoding.js";

const anyText = fc.string({
  unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
});

describe("text encoding", () => {
  it("is UTF-8 of every text, with U+FFFD for half a surrogate pair", async () => {
    const texts = fc.oneof(anyText, fc.string({ unit: "binary" }), fc.string());
    const property = fc.asyncProperty(texts, async (text) => {
      const bytes = await encodeText(text);
      expect(bytes).toEqual(Buffer.from(text));
      expect(decodeText(bytes)).toBe(text.toWellFormed());
    });
    await fc.assert(property, { numRuns: 1_000 });
  });

  it("writes long texts in parts that split no character", async () => {
    for (const unit of ["😀", "a", "é", "漢"]) {
      const text = `x${unit.repeat(1_200_000)}`;
      const bytes = await encodeText(text);
      expect(bytes.equals(Buffer.from(text))).toBe(true);
    }
  });
});

it("a number for a reader is written as the platform writes it", () => {
  const numbers = fc.oneof(fc.maxSafeInteger(), fc.integer(), fc.nat(99_999), fc.double());
  const property = fc.property(numbers, (number) => {
    expect(grouped(number)).toBe((number + 0).toLocaleString("en-US"));
  });
  fc.assert(property);
});

it("printable text has no character that a terminal acts on", () => {
  const acts = /(?![\t\n])\p{Cc}|[\u00ad\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/u;
  const property = fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
    const shown = printable(text);
    expect(shown).not.toMatch(acts);
    expect(Buffer.from(shown).toString()).toBe(shown);
    expect(printableLine(text)).not.toMatch(/[\n\t]/);
    expect(printable(shown)).toBe(shown);
  });
  fc.assert(property);
});
