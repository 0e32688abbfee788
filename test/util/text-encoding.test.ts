import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeText, encodeText, utf8Length, writeUtf8 } from "../../src/util/text-encoding.js";

const anyText = fc.string({
  unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
});

describe("text encoding", () => {
  it("brings every text back, lone surrogates included", () => {
    fc.assert(
      fc.property(fc.oneof(anyText, fc.string({ unit: "binary" }), fc.string()), (text) => {
        const { bytes, encoding } = encodeText(text);
        expect(decodeText(bytes, encoding)).toBe(text);
        expect(encoding).toBe(text.isWellFormed() ? "utf-8" : "wtf-8");
      }),
      { numRuns: 1_000 },
    );
  });

  it("keeps a lone surrogate as three bytes", () => {
    const { bytes, encoding } = encodeText("a\ud800b\udfff");
    expect(encoding).toBe("wtf-8");
    expect([...bytes]).toEqual([0x61, 0xed, 0xa0, 0x80, 0x62, 0xed, 0xbf, 0xbf]);
  });

  it("joins a surrogate pair into four bytes beside a lone one", () => {
    const { bytes } = encodeText("\ud83d\ude00\ud83d");
    expect([...bytes]).toEqual([0xf0, 0x9f, 0x98, 0x80, 0xed, 0xa0, 0xbd]);
  });

  it("keeps a byte order mark", () => {
    const { bytes, encoding } = encodeText("\ufeffa");
    expect(bytes.byteLength).toBe(4);
    expect(decodeText(bytes, encoding)).toBe("\ufeffa");
  });

  it("reads U+D7FF and U+E000, which begin like surrogates, as themselves", () => {
    const text = "\ud7ff\ue000\ud800";
    expect(decodeText(encodeText(text).bytes, "wtf-8")).toBe(text);
  });

  it("writes long texts in chunks that split no character", async () => {
    for (const unit of ["😀", "a", "é", "漢"]) {
      const text = `x${unit.repeat(1_200_000)}`;
      const byteLength = Buffer.byteLength(text);
      const target = Buffer.alloc(byteLength);
      expect(await utf8Length(text)).toBe(byteLength);
      await writeUtf8(text, target, byteLength);
      expect(target.equals(Buffer.from(text))).toBe(true);
    }
  });
});
