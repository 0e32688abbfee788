import * as fc from "fast-check";
import { describe, expect, it, vi } from "vitest";

import { joinStructuredContent } from "../../src/content/structured-content.js";

const data = { rows: [{ id: 1, note: 'a "quoted" } \\ é' }], total: 1 };
const json = JSON.stringify(data);
const long = "Many words. ".repeat(100);
const nothingBeside = (text: string): object => ({ text, beside: undefined });

describe("joining an MCP result's texts with its structured content", () => {
  it("counts a copy once, in the text's own spelling", () => {
    const pretty = JSON.stringify(data, undefined, 2);
    const python = '{"rows": [{"id": 1.0, "note": "a \\"quoted\\" } \\\\ \\u00e9"}], "total": 1}';
    const otherOrder = JSON.stringify({ total: 1, rows: data.rows });
    for (const copy of [json, pretty, ` ${json}\n`, python, otherOrder]) {
      expect(joinStructuredContent([copy], json)).toEqual(nothingBeside(copy));
    }
  });

  it("keeps numbers exact that the structured content has rounded", () => {
    const text = '{"id":12345678901234567890}';
    const rounded = JSON.stringify(JSON.parse(text));
    expect(rounded).not.toBe(text);
    expect(joinStructuredContent([text], rounded).text).toBe(text);
  });

  it("sees through a lone result key", () => {
    expect(joinStructuredContent(['[1,"a"]'], '{"result":[1,"a"]}').text).toBe('[1,"a"]');
    expect(joinStructuredContent(["line 1\nline 2"], '{"result":"line 1\\nline 2"}')).toEqual(
      nothingBeside("line 1\nline 2"),
    );
    const two = '{"result":[1],"more":2}';
    expect(joinStructuredContent(["[1]"], two)).toEqual({ text: two, beside: "[1]" });
  });

  it("takes one text for each element for the data", () => {
    const structured = '{"result":[{"id":12345678901234567000},"b"]}';
    expect(joinStructuredContent(['{"id": 12345678901234567890}', "b"], structured)).toEqual(
      nothingBeside('[{"id": 12345678901234567890},"b"]'),
    );
    const swapped = joinStructuredContent(["b", '{"id":1}'], '{"result":[{"id":1},"b"]}');
    expect(swapped.beside).toBe('b\n{"id":1}');
  });

  it("takes a single element for the data, and an array among arrays", () => {
    expect(joinStructuredContent(['{"id":1}'], '{"result":[{"id":1}]}').text).toBe('[{"id":1}]');
    expect(joinStructuredContent(["[1]", "[2]"], '{"result":[[1],[2]]}').text).toBe("[[1],[2]]");
  });

  it("takes thousands of texts for the elements of a list", () => {
    const rows = Array.from({ length: 10_000 }, (_, id) => ({ id, note: "x".repeat(20) }));
    const texts = rows.map((row) => JSON.stringify(row));
    expect(joinStructuredContent(texts, JSON.stringify({ result: rows }))).toEqual(
      nothingBeside(JSON.stringify(rows)),
    );
  });

  it("leaves out copies and blank texts among several, and keeps the rest", () => {
    expect(joinStructuredContent(["Found 1 row:", json, " ", "That is all."], json)).toEqual({
      text: json,
      beside: "Found 1 row:\nThat is all.",
    });
  });

  it("keeps a text of 512 bytes beside the data, and a longer one in one document with it", () => {
    const structured = JSON.stringify({ rows: Array.from({ length: 200 }, (_, id) => ({ id })) });
    const short = "é".repeat(256);
    expect(joinStructuredContent([short], structured)).toEqual({
      text: structured,
      beside: short,
    });
    const both = joinStructuredContent([`${short}.`], structured);
    expect(both.beside).toBeUndefined();
    expect(JSON.parse(both.text)).toEqual({
      structuredContent: JSON.parse(structured),
      text: `${short}.`,
    });
  });

  it("takes a long text for the data when the structured content is short", () => {
    expect(joinStructuredContent([long], '{"ok":true}')).toEqual({
      text: long,
      beside: '{"ok":true}',
    });
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

  it("takes a text that is repeated under a lone key, whatever its name, for one", () => {
    const file = 'line "one"\nline two\n'.repeat(100);
    for (const structured of [
      JSON.stringify({ content: file }),
      `{ "text" : ${JSON.stringify(file)} }\n`,
    ]) {
      expect(joinStructuredContent([file], structured)).toEqual(nothingBeside(file));
    }
    const more = JSON.stringify({ content: file, next: 2 });
    expect(joinStructuredContent([file], more).text).toBe(
      `{"structuredContent":${more},"text":${JSON.stringify(file)}}`,
    );
  });

  it("compares ten megabytes of pretty-printed copy without parsing them", () => {
    const large = {
      rows: Array.from({ length: 150_000 }, (_, id) => ({ id, note: "x".repeat(40) })),
    };
    const pretty = JSON.stringify(large, undefined, 2);
    const compact = JSON.stringify(large);
    const parse = vi.spyOn(JSON, "parse");
    const joined = joinStructuredContent([pretty], compact);
    const parsed = parse.mock.calls.reduce((sum, [text]) => sum + text.length, 0);
    parse.mockRestore();
    expect(joined).toEqual(nothingBeside(pretty));
    expect(parsed).toBeLessThan(1024);
  });

  it("parses no more than a megabyte: what it cannot compare, it keeps twice", () => {
    const rows = Array.from({ length: 30_000 }, (_, id) => ({ id, note: "x".repeat(20) }));
    const reordered = JSON.stringify({ total: 1, rows });
    const structured = JSON.stringify({ rows, total: 1 });
    const { text } = joinStructuredContent([reordered], structured);
    expect(text).toBe(`{"structuredContent":${structured},"text":${JSON.stringify(reordered)}}`);
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
          expect(everything.some((part) => part.includes(one)) || one === structured).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });
});
