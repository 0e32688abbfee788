import { expect, it } from "vitest";

import { openSource } from "../../../../../src/core/engines/readers/byte-reader.js";
import { scanRecords } from "../../../../../src/core/engines/sql/worker/scan.js";

function scanned(...lines: readonly string[]): ReturnType<typeof scanRecords> {
  const bytes = Buffer.from(`${lines.join("\n")}\n`);
  return scanRecords(openSource({ bytes }), {
    maxLineBytes: 1_000_000,
    cells: false,
  });
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
