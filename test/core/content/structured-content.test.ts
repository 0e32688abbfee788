import { isDeepStrictEqual } from "node:util";

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { joinStructuredContent } from "../../../src/core/content/structured-content.js";
const nothingBeside = (text: string): object => ({ text, beside: undefined });

describe("joining an MCP result's texts with its structured content", () => {
  it("keeps numbers exact that the structured content has rounded", () => {
    const text = '{"id":12345678901234567890}';
    const rounded = JSON.stringify(JSON.parse(text));
    expect(rounded).not.toBe(text);
    expect(joinStructuredContent([text], rounded).text).toBe(text);
  });

  it("takes a text for a copy that has other space between its tokens, however large it is", () => {
    const value = { '\\" ': ["a\\", '"', " \n", "", { b: [] }], large: "x".repeat(1 << 20) };
    const json = JSON.stringify(value);
    const text = ` ${JSON.stringify(value, undefined, "\t\r")}\n`;
    expect(joinStructuredContent([text], json)).toEqual(nothingBeside(text));
    expect(joinStructuredContent([json], text)).toEqual(nothingBeside(json));
    const other = text.replace('"\\"', '"\\" ');
    expect(other).not.toBe(text);
    expect(joinStructuredContent([other], json)).not.toEqual(nothingBeside(other));
  });

  it("takes one text for each element for the data", () => {
    const structured = '{"result":[{"id":12345678901234567000},"b"]}';
    expect(joinStructuredContent(['{"id": 12345678901234567890}', "b"], structured)).toEqual(
      nothingBeside('[{"id": 12345678901234567890},"b"]'),
    );
    const swapped = joinStructuredContent(["b", '{"id":1}'], '{"result":[{"id":1},"b"]}');
    expect(swapped.beside).toBe('b\n{"id":1}');
  });

  it("takes nothing for a copy that differs within a string or by a value", () => {
    for (const other of [
      '{"rows":[{"id":1,"note":"a  b"}]}',
      '{"rows":[{"id":2,"note":"a b"}]}',
      '{"rows":[{"id":1,"note":"a b"}],"more":1}',
      '{"rows":[{"id":1,"note":"a b"}]',
      '{"rows":[{"id":1,"note":"a\\u0020c"}]}',
    ]) {
      expect(joinStructuredContent([other], '{"rows":[{"id":1,"note":"a b"}]}').beside).toBe(other);
    }
  });

  it("never throws, and loses no text", () => {
    const object = fc.dictionary(fc.string(), fc.jsonValue());
    const texts = fc.array(fc.oneof(fc.string(), fc.json(), fc.string({ minLength: 600 })));
    fc.assert(
      fc.property(object, texts, (value, given) => {
        const structured = JSON.stringify(value);
        const { text, beside } = joinStructuredContent(given, structured);
        for (const one of given.filter((candidate) => candidate.trim() !== "")) {
          const everything = [text, beside ?? ""];
          if (text.startsWith('{"structuredContent":')) {
            everything.push((JSON.parse(text) as { text: string }).text);
          }
          // Copies count once, in one of their spellings.
          const spellings = [...given, structured].filter((other) => isSame(one, other));
          expect(
            spellings.some(
              (same) => same === structured || everything.some((part) => part.includes(same)),
            ),
          ).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });
});

function isSame(one: string, other: string): boolean {
  if (one === other) return true;
  try {
    return isDeepStrictEqual(JSON.parse(one), JSON.parse(other));
  } catch {
    return false;
  }
}
