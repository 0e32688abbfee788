import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { memoryCorpus } from "../../../bench/corpus.js";
import { unwrapOutput } from "../../../src/core/content/unwrap.js";

const BASE64 = "iVBORw0KGgo=";
const text = { type: "text", text: "a text" };
const image = { type: "image", mimeType: "image/png", data: BASE64 };

const png = { mimeType: "image/png", data: BASE64 };
const url = "https://e.test/a.png";

/** Every kind of text that a tool message may hold, by its maker. */
const TEXTS: Readonly<Record<string, object>> = {
  "LangChain text": { type: "text", text: "x", annotations: [], index: 0 },
  "OpenAI input_text": { type: "input_text", text: "x" },
  "OpenAI output_text": { type: "output_text", text: "x", annotations: [] },
  "Anthropic text": { type: "text", text: "x", cache_control: { type: "ephemeral" } },
  "MCP text": { type: "text", text: "x", _meta: {}, annotations: { priority: 1 } },
};

/** Every other kind, which stays in the message. */
const KEPT: Readonly<Record<string, object>> = {
  "LangChain text-plain": { type: "text-plain", text: "x", mimeType: "text/plain" },
  "LangChain image, data": { type: "image", ...png },
  "LangChain image, bytes": { type: "image", data: new Uint8Array(3), mimeType: "image/png" },
  "LangChain image, url": { type: "image", url },
  "LangChain image with a title": { ...image, title: "a chart", alt: "bars" },
  "LangChain audio": { type: "audio", data: BASE64, mimeType: "audio/wav" },
  "LangChain file": { type: "file", data: BASE64, mimeType: "application/pdf" },
  "before 1.0, file": { type: "file", source_type: "base64", mime_type: "a/pdf", data: BASE64 },
  "LangChain reasoning": { type: "reasoning", reasoning: "so" },
  "LangChain non_standard": { type: "non_standard", value: { a: 1 } },
  "OpenAI image_url": { type: "image_url", image_url: { url } },
  "OpenAI input_audio": { type: "input_audio", input_audio: { data: BASE64, format: "wav" } },
  "OpenAI file": { type: "file", file: { filename: "a.pdf", file_data: BASE64 } },
  "OpenAI input_image": { type: "input_image", image_url: url, detail: "low" },
  "OpenAI input_file": { type: "input_file", filename: "a.pdf", file_data: BASE64 },
  "OpenAI screenshot": { type: "computer_screenshot", image_url: "data:image/png;base64," },
  "Anthropic image": { type: "image", source: { type: "base64", media_type: "a/b", data: BASE64 } },
  "Anthropic document": { type: "document", source: { type: "text", data: "x" }, title: "t" },
  "Google media": { type: "media", mimeType: "video/mp4", fileUri: "gs://v" },
  "MCP resource": { type: "resource", resource: { uri: "file:///a", text: "x", mimeType: "a/b" } },
  "MCP resource_link": { type: "resource_link", uri: "file:///a", name: "a", title: "A", size: 3 },
  "a kind of tomorrow": { type: "hologram", beam: BASE64 },
};

/** What is no block at all. */
const BESIDE: readonly unknown[] = [null, { type: "hologram", beam: 1 }, { a: 1 }];

function textIn(part: unknown): string {
  return String(typeof part === "object" && part !== null ? Reflect.get(part, "text") : part);
}

/** A text that is longer than the sentence that would stand for it. */
const LONG = "word ".repeat(18_000);

it.each<readonly [string, object]>([
  ["LangChain text-plain", { type: "text-plain", text: LONG, title: "t", context: "c" }],
  ["MCP resource", { type: "resource", resource: { uri: "file:///a", text: LONG } }],
  ["Anthropic document", { type: "document", source: { type: "text", data: LONG }, title: "t" }],
])(
  "R2: a block that holds a text as data gives its text, and stays without it (%s)",
  (_, block) => {
    const { text, keptBlocks } = unwrapOutput({ value: [block] });
    expect(text).toBe(LONG);
    expect(keptBlocks).toHaveLength(1);
    const kept = JSON.stringify(keptBlocks);
    expect(kept.length).toBeLessThan(300);
    expect(keptBlocks[0]).toMatchObject({ type: Reflect.get(block, "type") as string });
  },
);

describe("a list of content blocks", () => {
  it.each(Object.entries({ ...TEXTS, ...KEPT }))(
    "is one with a block of the kind %s",
    (_, block) => {
      for (const beside of [[], ...BESIDE.map((other) => [other]), BESIDE]) {
        for (const value of [
          [text, image, block, ...beside],
          [...beside, block, text, image],
        ]) {
          const isText = (part: unknown): boolean =>
            part === text || (part === block && Object.values(TEXTS).includes(block));
          const { text: joined, keptBlocks } = unwrapOutput({ value });
          const texts = value.filter(isText).map((part) => Reflect.get(Object(part), "text"));
          expect(joined).toBe(texts.join("\n"));
          expect(keptBlocks).toEqual(value.filter((part) => !isText(part)));
        }
      }
    },
  );

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
      fc.constantFrom(text, image, hologram, ...Object.values({ ...TEXTS, ...KEPT })),
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
  const few = (make: (id: number) => unknown): unknown[] => many(make).slice(0, 30);
  const body = "lorem ipsum ".repeat(60);

  const hello = { type: "text", text: "hello" };

  it.each<readonly [string, unknown[]]>([
    ["an address (C21)", many((id) => ({ type: "video", id: `v${id}`, url: `https://e/${id}` }))],
    ["a link", many((id) => ({ type: "resource_link", uri: `file:///${id}`, name: "a" }))],
    ["a text and an id", many((id) => ({ ...hello, id: `m${id}` }))],
    ["a number for an id", [{ ...hello, id: 1 }]],
    ["other fields", [{ type: "image", url: "https://e", title: "t", width: 3 }]],
    ["kinds of blocks and others", many((id) => (id % 2 ? hello : { ...hello, type: "user" }))],
    ["sources", [{ ...hello, citations: [{ url }] }, hello, { ...hello, annotations: [{ url }] }]],
    ["bare values", ["a", null]],
    ["nothing in it", []],
    ["a source", many((id) => ({ type: "document", source: { type: "web", id }, text: "x" }))],
    ["a content", few((id) => ({ type: "document", source: { type: "url", url: `${id}` }, body }))],
    [
      "data that are no base64",
      few((id) => ({ type: "file", id: `${id}`, mimeType: "text/csv", data: "a,b\n" })),
    ],
    ["metadata", [1, 2].map((page) => ({ ...hello, metadata: { page } }))],
  ])("is data: with %s", (_, value) => {
    expect(unwrapOutput({ value })).toEqual({ text: JSON.stringify(value), keptBlocks: [] });
  });
});
