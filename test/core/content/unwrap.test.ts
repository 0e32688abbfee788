import { isDeepStrictEqual } from "node:util";

import * as fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { joinStructuredContent } from "../../../src/core/content/structured-content.js";
import { startWorkCounter } from "../drill-in/count-work.js";
import { unwrapOutput } from "../../../src/core/content/unwrap.js";

const image = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };

describe("unwrapping a tool output", () => {
  it("takes the texts of embedded resources, and keeps their blocks without them", () => {
    const long = "A line of a resource.\n".repeat(10);
    const asFile = {
      type: "file",
      source_type: "text",
      mime_type: "text/plain",
      metadata: { uri: "file:///a" },
    };
    const resource = { uri: "file:///b", mimeType: "text/plain" };
    const said = "The text of this resource is in the output above.";
    const value = [
      { type: "text", text: "a" },
      { ...asFile, text: long },
      { type: "resource", resource: { ...resource, text: long } },
      { type: "resource", resource: { ...resource, blob: "AAAA" } },
    ];
    expect(unwrapOutput({ value })).toEqual({
      text: `a\n${long}\n${long}`,
      keptBlocks: [
        { ...asFile, text: said },
        { type: "resource", resource: { ...resource, text: said } },
        value[3],
      ],
    });
    // What a whole set stands for is in no other place.
    expect(unwrapOutput({ value }, ["set".repeat(400)]).keptBlocks).toEqual(value.slice(1));
  });

  it("R4: takes those that stand in the artifact, where the MCP adapters leave them", () => {
    const artifact = [
      { type: "resource", resource: { uri: "file:///a", text: "all of a" } },
      { type: "resource", resource: { uri: "file:///b", blob: "AAAA" } },
      null,
    ];
    for (const [value, text] of [
      ["See a.", "See a.\nall of a"],
      [[{ type: "text", text: "See a." }], "See a.\nall of a"],
      [[], "all of a"],
    ])
      expect(unwrapOutput({ value, artifact })).toEqual({ text, keptBlocks: [] });
  });

  it("never throws", () => {
    fc.assert(
      fc.property(
        fc.anything({ withBigInt: true, withNullPrototype: true }),
        fc.anything(),
        (value, artifact) => {
          const { text, keptBlocks } = unwrapOutput({ value, artifact });
          expect(text === undefined || typeof text === "string").toBe(true);
          expect(Array.isArray(keptBlocks)).toBe(true);
        },
      ),
    );
  });
});

describe("unwrapping what the MCP adapters return", () => {
  const data = { rows: [{ id: 1, note: 'a "quoted" }' }] };
  const wrap = (extra: object): string =>
    JSON.stringify({ type: "text", text: JSON.stringify(data), ...extra });

  const mcp = (data: unknown): object => ({ type: "mcp_structured_content", data });
  const textOf = (value: unknown, ...artifact: readonly object[]): string | undefined =>
    unwrapOutput({ value, artifact }).text;

  it("leaves out structured content that repeats the media beside it", () => {
    const file = { type: "image", data: "iVBORw0KGgo", mimeType: "image/png" };
    const value = [{ type: "image_url", image_url: { url: `data:image/png;base64,${file.data}` } }];
    expect(textOf(value, mcp({ content: [file] }))).toBeUndefined();
    for (const own of [
      { ...file, data: "other" },
      { ...file, page: 1 },
      { ...file, data: "N" },
      { type: "image", data: file.data },
    ])
      expect(textOf(value, mcp({ content: [own] }))).toBe(JSON.stringify({ content: [own] }));
  });

  it("prefers the structured content of a wrapped text, also over the artifact's, which redaction does not reach", () => {
    const json = JSON.stringify(data);
    const both = wrap({ structuredContent: data, meta: { "a}": ["]"] } });
    for (const value of [wrap({ structuredContent: data }), both, [{ type: "text", text: both }]])
      expect(textOf(value, mcp({ rows: ["secret"] }))).toBe(json);
    const inner = wrap({ structuredContent: data });
    expect(textOf(JSON.stringify({ type: "text", text: inner, meta: {} }))).toBe(inner);
  });

  it("copies the structured content's tokens as they came", () => {
    const tokens = '{"n":12345678901234567890,"e":1e400}';
    const value = `{"type":"text","text":"t","structuredContent":${tokens}}`;
    const keptBlocks = [{ type: "text", text: "t" }];
    expect(unwrapOutput({ value })).toEqual({ text: tokens, keptBlocks });
  });

  const whole = wrap({ structuredContent: data });
  it.each([
    whole.slice(0, -1),
    `${whole.slice(0, -1)},"other":1}`,
    ...[
      {},
      { other: 1 },
      ...[5, null, "x"].map((structuredContent) => ({ structuredContent })),
    ].map(wrap),
    wrap({ meta: 5 }),
    '{"type":"text","text":"\\x","meta":{}}',
    '{"type":"text","text":"}',
    ` ${whole}`,
  ])("leaves a text alone that only begins like a wrapped one: %s", (value) => {
    expect(textOf(value)).toBe(value);
  });

  it("looks at no more members of a text that begins like a wrapped one than one has", async () => {
    const text = `{"type":"text","text":"a"${',"b":1'.repeat(10_000)}}`;
    const counter = await startWorkCounter();
    const work = await counter.count(async () => {
      expect(unwrapOutput({ value: text })).toEqual({ text, keptBlocks: [] });
    });
    await counter.stop();
    expect(work).toBeLessThan(20 * text.length);
  });

  it("takes structured content from the artifact, and keeps what is beside the text", () => {
    const artifact = [{ type: "mcp_meta", data: {} }, mcp(data)];
    const one = { type: "text", text: "1 row" };
    const json = JSON.stringify(data);
    for (const [value, ...keptBlocks] of [
      [[one, image], one, image],
      ["1 row", one],
      [{ note: "1 row" }, { ...one, text: '{"note":"1 row"}' }],
      [[]],
      [undefined],
    ])
      expect(unwrapOutput({ value, artifact })).toEqual({ text: json, keptBlocks });
    const value = JSON.stringify(data, undefined, 2);
    expect(unwrapOutput({ value, artifact })).toEqual({ text: value, keptBlocks: [] });
  });

  it("takes the content when the artifact has no structured content", () => {
    const cycle: unknown[] = [];
    cycle.push(cycle);
    const none = [null, { type: "mcp_structured_content" }, mcp(null), mcp(cycle)];
    const others = [undefined, null, "mcp_structured_content", [], mcp(data)];
    for (const artifact of [...others, ...none.map((entry) => [entry])])
      expect(unwrapOutput({ value: "1 row", artifact }).text).toBe("1 row");
  });
});

it("a remark before a longer text stays apart from it, and one behind it may be its end", () => {
  const rows = `id,name\n${"1,a\n".repeat(200)}`;
  const value = ["SHA: 1", rows].map((text) => ({ type: "text", text }));
  const keptBlocks = [{ type: "text", text: "SHA: 1" }];
  expect(unwrapOutput({ value })).toEqual({ text: rows, keptBlocks });
  expect(unwrapOutput({ value: value.toReversed() }).text).toBe(`${rows}\nSHA: 1`);
});

const nothingBeside = (text: string): object => ({ text, beside: undefined });

describe("joining an MCP result's texts with its structured content", () => {
  it("keeps numbers exact that the structured content has rounded", () => {
    const text = '{"id":12345678901234567890}';
    const rounded = JSON.stringify(JSON.parse(text));
    expect(rounded).not.toBe(text);
    expect(joinStructuredContent([text], rounded).text).toBe(text);
  });

  it("takes a text for a copy that has other space between its tokens, or spells them otherwise, however large it is", () => {
    const value = {
      '\\" ': ["a\\", '"', " \n", "", { b: [] }],
      large: "x".repeat(1 << 20),
      n: 471,
    };
    const json = JSON.stringify(value);
    const text = ` ${JSON.stringify(value, undefined, "\t\r").replace("471", "471.0")}\n`;
    expect(joinStructuredContent([text], json)).toEqual(nothingBeside(text));
    expect(joinStructuredContent([json], text)).toEqual(nothingBeside(json));
    const other = text.replace('"\\"', '"\\" ');
    expect(other).not.toBe(text);
    expect(joinStructuredContent([other], json)).not.toEqual(nothingBeside(other));
  });

  it("tries to parse a hundred texts that are no JSON, not all of many", () => {
    const parse = vi.spyOn(JSON, "parse");
    joinStructuredContent(
      Array.from({ length: 20_000 }, (_, id) => `{a${id}}`),
      '{"rows":[]}',
    );
    expect(parse.mock.calls.length).toBeLessThan(500);
    parse.mockRestore();
  });

  it("takes one text for each element for the data", () => {
    const structured = '{"result":[{"id":12345678901234567000,"é":3},"b"]}';
    const spelled = '{"id": 12345678901234567890, "\\u00e9": 3.0}';
    expect(joinStructuredContent([spelled, "b"], structured)).toEqual(
      nothingBeside(`[${spelled},"b"]`),
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
