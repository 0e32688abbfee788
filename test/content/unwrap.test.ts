import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { unwrapOutput } from "../../src/content/unwrap.js";

const image = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };
const file = { type: "file", source_type: "base64", mime_type: "application/pdf", data: "AAAA" };

describe("unwrapping a tool output", () => {
  it("joins the texts of content blocks and keeps the others in order", () => {
    const value = [
      { type: "text", text: "a" },
      image,
      { type: "text", text: "b", annotations: {} },
      file,
    ];
    const unwrapped = unwrapOutput({ value });
    expect(unwrapped.text).toBe("a\nb");
    expect(unwrapped.keptBlocks).toHaveLength(2);
    expect(unwrapped.keptBlocks[0]).toBe(image);
    expect(unwrapped.keptBlocks[1]).toBe(file);
  });

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
    expect(unwrapOutput({ value }, ["set"]).keptBlocks).toEqual(value.slice(1));
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

  it("prefers the structured content of a wrapped text", () => {
    expect(unwrapOutput({ value: wrap({ structuredContent: data }) }).text).toBe(
      JSON.stringify(data),
    );
    const both = wrap({ structuredContent: data, meta: { "a}": ["]"] } });
    expect(unwrapOutput({ value: both }).text).toBe(JSON.stringify(data));
    expect(unwrapOutput({ value: [{ type: "text", text: both }] }).text).toBe(JSON.stringify(data));
  });

  it("leaves texts alone that only begin like a wrapped one", () => {
    const whole = wrap({ structuredContent: data });
    for (const value of [
      whole.slice(0, -1),
      `${whole.slice(0, -1)},"other":1}`,
      wrap({}),
      wrap({ other: 1 }),
      wrap({ structuredContent: 5 }),
      wrap({ structuredContent: null }),
      wrap({ structuredContent: "x" }),
      wrap({ meta: 5 }),
      '{"type":"text","text":"\\x","meta":{}}',
      '{"type":"text","text":"}',
      ` ${whole}`,
    ]) {
      expect(unwrapOutput({ value }).text).toBe(value);
    }
  });

  it("takes structured content from the artifact, and keeps the blocks beside the text", () => {
    const artifact = [
      { type: "mcp_meta", data: {} },
      { type: "mcp_structured_content", data },
    ];
    const value = [{ type: "text", text: "1 row" }, image];
    expect(unwrapOutput({ value, artifact })).toEqual({
      text: JSON.stringify(data),
      keptBlocks: [{ type: "text", text: "1 row" }, image],
    });
    expect(unwrapOutput({ value: "1 row", artifact })).toEqual({
      text: JSON.stringify(data),
      keptBlocks: [{ type: "text", text: "1 row" }],
    });
    for (const value of [[], undefined, JSON.stringify(data, undefined, 2)]) {
      expect(unwrapOutput({ value, artifact }).keptBlocks).toEqual([]);
      expect(JSON.parse(unwrapOutput({ value, artifact }).text ?? "")).toEqual(data);
    }
  });
});
