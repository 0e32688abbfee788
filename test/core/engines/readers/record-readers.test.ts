import { describe, expect, it } from "vitest";
import type { ByteReader } from "../../../../src/core/engines/readers/byte-reader.js";
import { mendSurrogateEscapes } from "../../../../src/core/engines/readers/record-readers.js";

/** Reads a text through the mender, which gets and gives at most so many bytes at a time. */
function mended(text: string, sourceBytes = 65_536, targetBytes = 65_536): string {
  const bytes = Buffer.from(text);
  let at = 0;
  const source: ByteReader = {
    read(target) {
      const part = bytes.subarray(at, at + Math.min(target.length, sourceBytes));
      target.set(part);
      at += part.length;
      return part.length;
    },
    close: () => {},
  };
  const reader = mendSurrogateEscapes(source, 1000);
  const parts: Buffer[] = [];
  const target = Buffer.alloc(targetBytes);
  for (let count = reader.read(target); count > 0; count = reader.read(target))
    parts.push(Buffer.from(target.subarray(0, count)));
  return Buffer.concat(parts).toString();
}

describe("mending escaped surrogates", () => {
  it.each([
    ['"\\ud800"', '"\\ufffd"'],
    ['"cut \\uD83D"', '"cut \\ufffd"'],
    ['"\\ud800\\ud800\\udc00"', '"\\ufffd\\ud800\\udc00"'],
    ['"\\ud83d\\u0041"', '"\\ufffd\\u0041"'],
    ['"\\udbff\\\\udc00"', '"\\ufffd\\\\udc00"'],
    ['"\\\\\\ud800"', '"\\\\\\ufffd"'],
    ['"\\ud800', '"\\ufffd'],
  ])("%s becomes %s", (text, expected) => {
    for (const bytes of [1, 5, 65_536]) expect(mended(text, bytes, bytes)).toBe(expected);
  });
});
