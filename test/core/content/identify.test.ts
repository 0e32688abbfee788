import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countTurns } from "../../count-turns.js";
import { oneSet } from "../../../src/core/types/content.js";
import { holdStream } from "../../../src/core/content/stream/held-stream.js";
import { streamOf } from "../../../src/core/content/stream/output-stream.js";
import { identifyContent } from "../../../src/core/content/identify.js";
import { decodeText } from "../../../src/util/text-encoding.js";

async function bodyOf(text: string): Promise<string> {
  const { body } = await identifyContent(text);
  return decodeText(body);
}

describe("identifying JSON", () => {
  it("keeps what is no set of records as the document that came", async () => {
    const schema = '{ "request": {"method": "GET"}, "response": {"status": 200} }\n';
    for (const text of [" {} ", "{\n}", "12", "null", '"plain"', '"[not JSON"', schema]) {
      const content = await identifyContent(text);
      expect(content).toMatchObject({ kind: "json-document", layout: "document" });
      expect(content.records).toBeUndefined();
      expect(decodeText(content.body)).toBe(text);
    }
  });

  it("takes an empty list for records, of which there are none yet", async () => {
    for (const text of ["[]", " [ ] "]) {
      const content = await identifyContent(text);
      expect(content).toMatchObject({ kind: "json-array", layout: "records" });
      expect(oneSet(content)?.count).toBe(0);
      expect(content.body).toHaveLength(0);
    }
  });

  it("takes a byte order mark off every kind of text (R8)", async () => {
    expect(await bodyOf('\ufeff[{"a":1}, 2]')).toBe('{"a":1}\n2\n');
    for (const text of ["a: 1\nb:\n  - c: 2\n  - d: 3\n", "id,n\n1,a\n2,b\n", '{"a":1}', "words"]) {
      const [plain, marked] = [await identifyContent(text), await identifyContent(`\ufeff${text}`)];
      expect(marked.kind).toBe(plain.kind);
      expect(marked.body).toEqual(plain.body);
    }
  });

  it("takes no lone surrogate after a backslash for an escape", async () => {
    const text = '["\\\ud800"]';
    expect((await identifyContent(text)).kind).toBe("text");
    expect(await bodyOf(text)).toBe(text.toWellFormed());
    expect(await bodyOf('["\\\\\ud800"]')).toBe('"\\\\\ufffd"\n');
  });

  it("splits a map whose last member is empty, however it is spaced", async () => {
    for (let lines = 0; lines < 20; lines += 1) {
      const member = (id: number) => [`k${id}`, { id, note: "a\nb".repeat(lines) }] as const;
      const map = { ...Object.fromEntries([1, 2, 3, 4].map(member)), last: {} };
      const content = await identifyContent(JSON.stringify(map, null, 2));
      expect(content).toMatchObject({ kind: "json-map", layout: "records" });
    }
  });

  it("decodes JSON inside a JSON string once", async () => {
    const inner = '{"items":[{"id":1},{"id":2}]}';
    expect(await identifyContent(JSON.stringify(inner))).toMatchObject({ kind: "json-object" });
    expect(await bodyOf(JSON.stringify(`\n ${inner}`))).toBe('{"id":1}\n{"id":2}\n');
    const twice = JSON.stringify(JSON.stringify(inner));
    expect(await identifyContent(twice)).toMatchObject({ kind: "json-document" });
    expect(await bodyOf(twice)).toBe(twice);
  });

  const alike = '"/a":{"id":1,"name":"x"},"/b":{"id":2,"name":"y"},"/c":{"id":3,"name":"z"}';
  it.each([
    ["five keys down", "json-document", '{"a":{"b":{"c":{"d":{"e":[{"id":1},{"id":2}]}}}}}'],
    // The array takes 12 of 24 bytes, then 12 of 25.
    ["half of the bytes", "json-object", '{"a":[1,2,3,4,50],"b":1}'],
    ["less than half", "json-document", '{"a":[1,2,3,4,50],"b":12}'],
    ["like values", "json-map", `{${alike}}`],
    ["other values", "json-document", '{"user":{"id":1},"links":{"self":"/"},"page":{"size":3}}'],
    ["two values", "json-document", '{"before":{"id":1},"after":{"id":2}}'],
    ["a number too", "json-document", `{${alike},"total":3}`],
    ["lines", "json-lines", '{"a":1}\n\n{"a":2}\n'],
    ["one line", "text", '{"a":1} {"a":2}'],
    ["numbers", "text", "1\n2\n3"],
    ["a number after", "text", '{"a":1}\n2'],
    ["a number before", "text", '1\n{"a":1}'],
    ["a cut document", "text", '{"a":1}\n{"a":'],
  ])("tells records from documents: %s is %s", async (_, kind, text) => {
    expect((await identifyContent(text)).kind).toBe(kind);
  });
});

describe("identifying any text", () => {
  it("never throws, and keeps every character of what is not split into JSON records", async () => {
    const unit = fc.oneof(
      fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
      fc.constantFrom(..."{ } [ ] , : - # 1 a".split(" "), '"', "\\", " ", "\n", "\r", "\t"),
    );
    await fc.assert(
      fc.asyncProperty(fc.string({ unit, maxLength: 40 }), async (text) => {
        const content = await identifyContent(text);
        fc.pre(!content.kind.startsWith("json-"));
        expect(decodeText(content.body)).toBe(text.toWellFormed().replace(/^\ufeff/, ""));
        const lines = text.split("\n").length - (text === "" || text.endsWith("\n") ? 1 : 0);
        expect(content.lineCount).toBe(lines);
      }),
      { numRuns: 1_500 },
    );
  });

  it("gives records for the layouts that have them, within their bounds", async () => {
    const { records } = await identifyContent("[1,2,3]");
    expect(records?.at(2)).toBe("3");
    for (const index of [-1, 3, 0.5, Number.NaN])
      expect(() => records?.at(index)).toThrow(RangeError);
    expect((await identifyContent("some words")).records).toBeUndefined();
  });
});

describe("large texts", () => {
  it("are split when 10 MB stand in one line", async () => {
    const row = `{"id":12345678901234567890,"text":"${"é漢x ".repeat(60)}"}`;
    const count = Math.ceil(10_000_000 / Buffer.byteLength(row));
    const content = await identifyContent(
      `{"rows": [${Array.from({ length: count }, () => row).join(" , ")}]}`,
    );
    expect(content.records).toMatchObject({ count, path: ["rows"], envelope: '{"rows":[]}' });
    expect(content.body.byteLength).toBe(count * (Buffer.byteLength(row) + 1));
    for (const index of [count - 1, 0, 5_000, 4_999, 5_001])
      expect(content.records?.at(index)).toBe(row);
  });

  it("are split when 100,000 levels are nested, and kept when one is missing", async () => {
    const levels = 100_000;
    const nested = "[".repeat(levels) + "]".repeat(levels);
    const content = await identifyContent(nested);
    expect(content.kind).toBe("json-array");
    expect(content.records?.at(0)).toBe(nested.slice(1, -1));
    const objects = '{"a":'.repeat(levels) + "1" + "}".repeat(levels);
    expect((await identifyContent(objects)).kind).toBe("json-document");
    const cut = nested.slice(0, -1);
    const text = await identifyContent(cut);
    expect(text.kind).toBe("text");
    expect(decodeText(text.body)).toBe(cut);
  });

  it("leave turns to the event loop", async () => {
    const counted = countTurns();
    await identifyContent(JSON.stringify(Array.from({ length: 10 }, () => "x".repeat(800_000))));
    counted.stop();
    // Eight megabytes are measured, written and scanned, with a turn about every megabyte.
    expect(counted.turns()).toBeGreaterThan(15);
    const inLatin1 = countTurns();
    const held = holdStream(streamOf(Buffer.alloc(1 << 22, 0xe9))!, { maxBytes: Infinity });
    await held.hold(1);
    inLatin1.stop();
    expect(inLatin1.turns()).toBeGreaterThan(15);
  });
});
