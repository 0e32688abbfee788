import { expect, it } from "vitest";
import { type ByteReader, openSource } from "../../../../src/core/engines/readers/byte-reader.js";
import { mendSurrogateEscapes } from "../../../../src/core/engines/readers/record-readers.js";
import { scanRecords } from "../../../../src/core/engines/sql/worker/scan.js";

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

it.each([
  ['"\\ud800"', '"\\ufffd"'],
  ['"cut \\uD83D"', '"cut \\ufffd"'],
  ['"\\ud800\\ud800\\udc00"', '"\\ufffd\\ud800\\udc00"'],
  ['"\\ud83d\\u0041"', '"\\ufffd\\u0041"'],
  ['"\\udbff\\\\udc00"', '"\\ufffd\\\\udc00"'],
  ['"\\\\\\ud800"', '"\\\\\\ufffd"'],
  ['"\\ud800', '"\\ufffd'],
])("an escaped surrogate is mended: %s becomes %s", (text, expected) => {
  for (const bytes of [1, 5, 65_536]) expect(mended(text, bytes, bytes)).toBe(expected);
});

function scanned(...lines: readonly string[]): ReturnType<typeof scanRecords> {
  const bytes = Buffer.from(`${lines.join("\n")}\n`);
  return scanRecords(openSource({ bytes }), { maxLineBytes: 1_000_000, cells: false });
}

it.each([
  ["two values", ['{"a": 1}, {"a": 2}', '{"a": 3}']],
  ["a part of one", ['{"a": 1}', '{"a":', '{"a": 3}']],
])("a line that holds %s is no JSON", (_, lines) => {
  expect(() => scanned(...lines)).toThrow(SyntaxError);
});

it.each([
  ['{"a": {"c": 1, "c": 2}, "a": {"c": 3}}', '{"a":{"c":3}}'],
  [String.raw`{"C:\\": 1, "C:\\": 2}`, String.raw`{"C:\\":2}`],
  [String.raw`{"text": "\u0020:", "v": 1, "v": 2}`, '{"text":" :","v":2}'],
  [String.raw`{"v": 1, "v": "cut \ud83d"}`, String.raw`{"v":"cut \ufffd"}`],
  [
    '{"v": 1, "v": 2, "id": 12345678901234567890, "-1": [-1e400, 1.0, true]}',
    '{"v":2,"id":12345678901234567890,"-1":[-1e400,1.0,true]}',
  ],
])("of a key that stands twice in an object, the last value counts: %s", (line, expected) => {
  const bytes = Buffer.from(`{"b": 1}\n${line}\n`);
  const written: string[] = [];
  const options = {
    maxLineBytes: 1_000,
    cells: false,
    write: (text: string) => written.push(text),
  };
  expect(scanRecords(openSource({ bytes }), options).isClean).toBe(false);
  expect(written.join("")).toBe(`{"b": 1}\n${expected}\n`);
});
