import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { memoryCorpus } from "../../../bench/corpus.js";
import { readBlocks } from "../../../src/core/content/content-blocks.js";
import { unwrapOutput } from "../../../src/core/content/unwrap.js";

const BASE64 = "iVBORw0KGgo=";
const text = { type: "text", text: "a text" };
const image = { type: "image", mimeType: "image/png", data: BASE64 };

/** Every kind of block that a tool message may hold, by its maker: what becomes of it beside others. */
const KINDS: readonly (readonly [string, object, "text" | "kept"])[] = [
  ["LangChain text", { type: "text", text: "x", annotations: [], index: 0 }, "text"],
  ["LangChain text-plain", { type: "text-plain", text: "x", mimeType: "text/plain" }, "kept"],
  ["LangChain image, data", { type: "image", data: BASE64, mimeType: "image/png" }, "kept"],
  [
    "LangChain image, bytes",
    { type: "image", data: new Uint8Array(3), mimeType: "image/png" },
    "kept",
  ],
  ["LangChain image, url", { type: "image", url: "https://example.test/a.png" }, "kept"],
  ["LangChain image, file", { type: "image", fileId: "file-1", id: "b1" }, "kept"],
  ["LangChain image with a title", { ...image, title: "a chart", alt: "bars" }, "kept"],
  ["LangChain audio", { type: "audio", data: BASE64, mimeType: "audio/wav" }, "kept"],
  ["LangChain video", { type: "video", url: "https://example.test/v", id: "v1" }, "kept"],
  ["LangChain file", { type: "file", data: BASE64, mimeType: "application/pdf" }, "kept"],
  [
    "LangChain file, before 1.0",
    { type: "file", source_type: "base64", mime_type: "application/pdf", data: BASE64 },
    "kept",
  ],
  [
    "LangChain image, before 1.0",
    { type: "image", source_type: "url", url: "https://e.test" },
    "kept",
  ],
  ["LangChain reasoning", { type: "reasoning", reasoning: "so" }, "kept"],
  ["LangChain non_standard", { type: "non_standard", value: { a: 1 } }, "kept"],
  ["LangChain tool_call", { type: "tool_call", id: "1", name: "t", args: {} }, "kept"],
  [
    "LangChain server_tool_call_result",
    { type: "server_tool_call_result", toolCallId: "1", status: "success", output: {} },
    "kept",
  ],
  ["OpenAI image_url", { type: "image_url", image_url: { url: "https://e.test/a.png" } }, "kept"],
  ["OpenAI image_url as text", { type: "image_url", image_url: "https://e.test/a.png" }, "kept"],
  [
    "OpenAI input_audio",
    { type: "input_audio", input_audio: { data: BASE64, format: "wav" } },
    "kept",
  ],
  ["OpenAI file", { type: "file", file: { filename: "a.pdf", file_data: BASE64 } }, "kept"],
  ["OpenAI refusal", { type: "refusal", refusal: "no" }, "kept"],
  ["OpenAI input_text", { type: "input_text", text: "x" }, "text"],
  ["OpenAI output_text", { type: "output_text", text: "x", annotations: [] }, "text"],
  [
    "OpenAI input_image",
    { type: "input_image", image_url: "https://e.test/a.png", detail: "low" },
    "kept",
  ],
  ["OpenAI input_image, file", { type: "input_image", file_id: "file-1" }, "kept"],
  ["OpenAI input_file", { type: "input_file", filename: "a.pdf", file_data: BASE64 }, "kept"],
  [
    "OpenAI computer_screenshot",
    { type: "computer_screenshot", image_url: "data:image/png;base64," },
    "kept",
  ],
  ["Anthropic text", { type: "text", text: "x", cache_control: { type: "ephemeral" } }, "text"],
  [
    "Anthropic image",
    { type: "image", source: { type: "base64", media_type: "image/png", data: BASE64 } },
    "kept",
  ],
  ["Anthropic image, url", { type: "image", source: { type: "url", url: "https://e" } }, "kept"],
  [
    "Anthropic document",
    {
      type: "document",
      source: { type: "text", media_type: "text/plain", data: "x" },
      title: "t",
      context: "c",
    },
    "kept",
  ],
  [
    "Anthropic search_result",
    { type: "search_result", source: "https://e", title: "t", content: [text], citations: {} },
    "kept",
  ],
  ["Anthropic tool_reference", { type: "tool_reference", tool_name: "t" }, "kept"],
  ["Anthropic container_upload", { type: "container_upload", file_id: "file-1" }, "kept"],
  ["Google media", { type: "media", mimeType: "video/mp4", fileUri: "gs://v" }, "kept"],
  ["Google media, data", { type: "media", mimeType: "video/mp4", data: BASE64 }, "kept"],
  ["Google inlineData", { inlineData: { mimeType: "image/png", data: BASE64 } }, "kept"],
  ["Google fileData", { fileData: { mimeType: "image/png", fileUri: "gs://a" } }, "kept"],
  ["MCP text", { type: "text", text: "x", _meta: {}, annotations: { priority: 1 } }, "text"],
  ["MCP image", { type: "image", data: BASE64, mimeType: "image/png", _meta: {} }, "kept"],
  ["MCP audio", { type: "audio", data: BASE64, mimeType: "audio/wav" }, "kept"],
  [
    "MCP resource",
    { type: "resource", resource: { uri: "file:///a", text: "x", mimeType: "text/plain" } },
    "kept",
  ],
  [
    "MCP resource_link",
    { type: "resource_link", uri: "file:///a", name: "a", title: "A", description: "d", size: 3 },
    "kept",
  ],
  ["a kind of tomorrow", { type: "hologram", beam: BASE64 }, "kept"],
];

/** What is no block at all. */
const BESIDE: readonly unknown[] = [null, { type: "hologram", beam: 1 }, { a: 1 }];

function textIn(part: unknown): string {
  return String(typeof part === "object" && part !== null ? Reflect.get(part, "text") : part);
}

/** A text that is longer than the sentence that would stand for it. */
const LONG = "word ".repeat(18_000);

describe("R2: a block that holds a text as data", () => {
  it.each<[string, object]>([
    [
      "LangChain text-plain",
      { type: "text-plain", text: LONG, title: "t", mimeType: "text/plain" },
    ],
    ["Anthropic document", { type: "document", source: { type: "text", data: LONG }, title: "t" }],
    [
      "Anthropic document of blocks",
      { type: "document", source: { type: "content", content: [{ type: "text", text: LONG }] } },
    ],
    ["MCP resource", { type: "resource", resource: { uri: "file:///a", text: LONG } }],
  ])("gives its text, and stays without it (%s)", (_, block) => {
    const { text, keptBlocks } = unwrapOutput({ value: [block] });
    expect(text).toBe(LONG);
    expect(keptBlocks).toHaveLength(1);
    expect(JSON.stringify(keptBlocks).length).toBeLessThan(300);
    expect(keptBlocks[0]).toMatchObject({ type: Reflect.get(block, "type") as string });
  });
});

describe("a list of content blocks", () => {
  it.each(KINDS)("keeps what it is with a block of the kind %s in it", (_, block, becomes) => {
    for (const beside of [[], ...BESIDE.map((other) => [other]), BESIDE]) {
      for (const value of [
        [text, image, block, ...beside],
        [...beside, block, text, image],
      ]) {
        const isText = (part: unknown): boolean =>
          part === text || (becomes === "text" && part === block);
        const { text: joined, keptBlocks } = unwrapOutput({ value });
        const texts = value.filter(isText).map((part) => Reflect.get(Object(part), "text"));
        expect(joined).toBe(texts.join("\n"));
        expect(keptBlocks).toEqual(value.filter((part) => !isText(part)));
      }
    }
  });

  it("takes a bare string for a text", () => {
    expect(unwrapOutput({ value: ["before", image, text, "after"] })).toEqual({
      text: "before\na text\nafter",
      keptBlocks: [image],
    });
  });

  it("is taken for data with what no message could hold beside the media, which stay", () => {
    const found = Array.from({ length: 30 }, (_, rank) => ({
      type: "search_result",
      title: `${rank}`,
      content: "found ".repeat(100),
    }));
    const { text: json, keptBlocks } = unwrapOutput({ value: [text, image, ...found] });
    expect(keptBlocks).toEqual([image]);
    expect(JSON.parse(json ?? "")).toEqual([text, ...found]);
  });
});

describe("a block of no known kind that is too long for a message", () => {
  const hologram = { type: "hologram", beam: "light ".repeat(2_000) };

  it("is stored with the texts beside it, each a record, so that all of them are in reach", () => {
    for (const beside of [[text], [text, image], [image, text, { type: "note" }]]) {
      const value = [...beside, hologram];
      const { text: json, keptBlocks } = unwrapOutput({ value });
      expect(keptBlocks).toEqual(value.filter((part) => part === image));
      expect(JSON.parse(json ?? "")).toEqual(value.filter((part) => part !== image));
    }
  });

  it("stays in the message where something else stands for its text", () => {
    const value = [text, image, hologram];
    const artifact = { memories: memoryCorpus(60, "medium") };
    expect(unwrapOutput({ value, artifact }).keptBlocks).toEqual([image, hologram]);
    expect(unwrapOutput({ value }, ["a".repeat(30_000)]).keptBlocks).toEqual([image, hologram]);
    expect(unwrapOutput({ value: [text, hologram], artifact }).keptBlocks).toEqual([hologram]);
  });

  it("loses nothing of a list, whatever is in it", () => {
    const part = fc.oneof(
      fc.constantFrom(text, image, hologram, ...KINDS.map(([, block]) => block)),
      fc.jsonValue({ maxDepth: 1 }),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), (value) => {
        const { text: told = "", keptBlocks } = unwrapOutput({ value });
        const json = JSON.stringify(value.filter((one) => !keptBlocks.includes(one)));
        const texts = value.filter((one) => !keptBlocks.includes(one)).map(textIn);
        // A short remark beside data becomes a block of its own.
        const remarks = keptBlocks
          .filter((one) => !(value as readonly unknown[]).includes(one))
          .map(textIn);
        const lines = (all: readonly string[]): string[] => all.join("\n").split("\n").toSorted();
        if (remarks.length > 0) expect(lines([told, ...remarks])).toEqual(lines(texts));
        else expect([json, texts.join("\n")]).toContain(told);
      }),
      { numRuns: 500 },
    );
  });
});

describe("a list of records that have a type", () => {
  const many = (make: (id: number) => unknown): unknown[] =>
    Array.from({ length: 500 }, (_, id) => make(id));

  it.each<[string, unknown[]]>([
    ["an address (C21)", many((id) => ({ type: "video", id: `v${id}`, url: `https://e/${id}` }))],
    [
      "a media type",
      many((id) => ({ type: "image", url: `https://e/${id}`, mimeType: "image/x" })),
    ],
    ["a file's id", many((id) => ({ type: "file", file_id: `f${id}` }))],
    ["a link", many((id) => ({ type: "resource_link", uri: `file:///${id}`, name: "a" }))],
    ["a text and an id", many((id) => ({ type: "text", id: `m${id}`, text: "hello" }))],
    ["a number for an id", [{ type: "text", id: 1, text: "hello" }]],
    ["other fields", [{ type: "image", url: "https://e", title: "t", width: 3 }]],
    [
      "kinds among which are those of blocks",
      many((id) => ({ type: id % 2 ? "text" : "user", text: "x" })),
    ],
    ["no fields of media", [{ type: "image" }]],
    ["a text that is a number", [{ type: "text", text: 5 }]],
    ["bare values", ["a", null]],
    ["nothing in it", []],
    ["a source", many((id) => ({ type: "document", source: { type: "web", id }, text: "x" }))],
    ["a file of their own", many((id) => ({ type: "file", file: { name: "a", size: id } }))],
  ])("is data: with %s", (_, value) => {
    expect(unwrapOutput({ value })).toEqual({ text: JSON.stringify(value), keptBlocks: [] });
  });
});

describe("a list of records that look like blocks", () => {
  const body = "lorem ipsum ".repeat(60);
  it.each<[string, (at: number) => object]>([
    [
      "hits with an address and a content",
      (at) => ({
        type: "document",
        source: { type: "url", url: `https://e/${at}` },
        content: body,
      }),
    ],
    [
      "products with a picture",
      (at) => ({ type: "image", image_url: `https://e/${at}`, alt: body }),
    ],
    ["texts with metadata", (at) => ({ type: "text", text: body, metadata: { page: at } })],
  ])("is data: %s", (_name, make) => {
    const values = Array.from({ length: 30 }, (_, at) => make(at));
    expect(readBlocks(values)).toBeUndefined();
  });

  it("of text and an image in a document gives the text, and keeps the image", () => {
    const image = { type: "image", source: { type: "base64", data: BASE64 } };
    const content = [{ type: "text", text: LONG }, image];
    const found = readBlocks([{ type: "document", source: { type: "content", content } }]);
    expect(found).toMatchObject({ texts: [LONG] });
    expect(JSON.stringify(found?.keptBlocks)).toContain(BASE64);
    expect(JSON.stringify(found?.keptBlocks)).not.toContain(LONG);
  });
});
