import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeText, encodeText } from "../../src/util/text-encoding.js";

const anyText = fc.string({
  unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
});

describe("text encoding", () => {
  it("is UTF-8 of every text, with U+FFFD for half a surrogate pair", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(anyText, fc.string({ unit: "binary" }), fc.string()),
        async (text) => {
          const bytes = await encodeText(text);
          expect(bytes).toEqual(Buffer.from(text));
          expect(decodeText(bytes)).toBe(text.toWellFormed());
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it("writes long texts in parts that split no character", async () => {
    for (const unit of ["😀", "a", "é", "漢"]) {
      const text = `x${unit.repeat(1_200_000)}`;
      const bytes = await encodeText(text);
      expect(bytes.equals(Buffer.from(text))).toBe(true);
    }
  });
});
