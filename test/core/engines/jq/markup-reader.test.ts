import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { Markup } from "../../../../src/core/content/as-value.js";
import type { ByteReader } from "../../../../src/core/engines/readers/byte-reader.js";
import { createMarkupReader } from "../../../../src/core/engines/jq/markup/markup-reader.js";

const DOCUMENTS: readonly (readonly [text: string, markup: Markup, json: string])[] = [
  ["<a><b>1</b></a>", "xml", '{"a":{"b":"1"}}\n'],
  ["<a><b>1</b></a>", "html", '{"a":{"b":"1"}}\n'],
  ["<a><b>2</b></a>", "xml", '{"a":{"b":"2"}}\n'],
  ["<A>x</A>", "xml", '{"A":"x"}\n'],
  ["<A>x</A>", "html", '{"a":"x"}\n'],
  ["a: 1\n", "yaml", '{"a":1}\n'],
];

function readerOf(text: string, markup: Markup): ByteReader {
  const bytes = Buffer.from(text);
  let at = 0;
  const source: ByteReader = {
    read(target) {
      const count = bytes.copy(target, 0, at);
      at += count;
      return count;
    },
    close: () => {},
  };
  return createMarkupReader(source, markup);
}

function read(reader: ByteReader, maxReads: number): string {
  const target = Buffer.alloc(5);
  let text = "";
  for (let reads = 0; reads < maxReads; reads += 1) {
    const count = reader.read(target);
    if (count === 0) break;
    text += target.toString("utf8", 0, count);
  }
  return text;
}

describe("a document in another notation", () => {
  it("is the same JSON whatever was read before, to its end or in part", () => {
    const step = fc.record({
      document: fc.constantFrom(...DOCUMENTS),
      maxReads: fc.constantFrom(0, 1, 100),
    });
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        for (const { document, maxReads } of steps) {
          const [text, markup, json] = document;
          expect(read(readerOf(text, markup), maxReads)).toBe(json.slice(0, maxReads * 5));
        }
      }),
    );
  });

  it("that cannot be read stays so when it is read again", () => {
    for (let again = 0; again < 2; again += 1)
      expect(() => read(readerOf("<a>", "xml"), 100)).toThrow("<a> has no end");
  });
});
