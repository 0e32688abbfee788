import { describe, expect, it } from "vitest";

import { memoryCorpus } from "../../../../bench/corpus.js";
import { identifyContent } from "../../../../src/core/content/identify.js";
import { memoriesOf } from "../../../../src/core/content/mif/memories-of.js";
import { preBudgetSet } from "../../../../src/core/content/mif/memory-schema.js";
import { unwrapOutput } from "../../../../src/core/content/unwrap.js";
import { type Content, oneSet } from "../../../../src/core/types/content.js";

const memories = memoryCorpus(40, "medium");
const hits = memories.map((memory, index) => ({ memory, score: 0.9 - index / 100 }));

const identify = async (value: unknown): Promise<Content> => identifyContent(JSON.stringify(value));
const linesOf = ({ body }: Content): string[] =>
  new TextDecoder().decode(body).trimEnd().split("\n");
const plain = memories.map((memory) => JSON.stringify(memory));

describe("search hits", () => {
  it("become their memories, and the scores their range", async () => {
    const found = await memoriesOf(await identify(hits));
    expect(found?.scoreRange).toEqual([0.51, 0.9]);
    expect(linesOf(found!.content)).toEqual(plain);
    expect(found && oneSet(found.content)?.count).toBe(40);
    expect(found?.content.records?.at(17)).toBe(plain[17]);
    expect(found?.content.records?.at(3)).toBe(plain[3]);
  });

  it.each([
    ["score first", memories.map((memory) => ({ score: 0.5, memory }))],
    ["score beside the fields", memories.map((memory) => ({ ...memory, score: 0.5 }))],
    ["score between the fields", memories.map(({ id, ...rest }) => ({ id, score: 0.5, ...rest }))],
    ["score in the memory", memories.map((memory) => ({ memory: { ...memory, score: 0.5 } }))],
    ["some scores null", memories.map((memory, n) => ({ memory, score: n === 0 ? 0.5 : null }))],
  ])("in other shapes: %s", async (_, shape) => {
    const found = await memoriesOf(await identify(shape));
    expect(found?.scoreRange).toEqual([0.5, 0.5]);
    expect(linesOf(found!.content)).toEqual(plain);
  });

  it("keep the tokens of their memories as they came", async () => {
    const text = `[{"memory":{"id":"a","title":"\\u0041 \\"},{","memory_type":"semantic","n":12345678901234567890,"x":1.50},"score":1e-1},{"memory":{"memory_type":"semantic","title":"b","id":"b"},"score":-0}]`;
    const found = await memoriesOf(await identifyContent(text));
    expect(linesOf(found!.content)[0]).toBe(
      `{"id":"a","title":"\\u0041 \\"},{","memory_type":"semantic","n":12345678901234567890,"x":1.50}`,
    );
    expect(found?.scoreRange).toEqual([-0, 0.1]);
  });
});

describe("what is stored as it came", () => {
  it.each<[string, unknown]>([
    ["memories without scores", memories],
    ["memories in an object", { memories }],
    ["hits with more members", hits.map((hit) => ({ ...hit, highlights: ["x"] }))],
    ["a score that is no number", hits.map((hit) => ({ ...hit, score: "high" }))],
    ["one record that is no hit", [...hits, { score: 1 }]],
    [
      "posts of a forum, which have a score too",
      memories.map(({ id, title, content }) => ({ id, title, content, score: 4 })),
    ],
    [
      "data with a namespace but without a kind of memory",
      memories.map(({ id, title, namespace }) => ({ id, title, namespace, score: 4 })),
    ],
    ["numbers", Array.from({ length: 40 }, (_, index) => index)],
    ["no records", []],
  ])("%s", async (_, value) => {
    expect(await memoriesOf(await identify(value))).toBeUndefined();
  });

  it("a record that takes long to parse", async () => {
    const long = { ...memories[0], content: "x".repeat(300_000), score: 0.5 };
    expect(await memoriesOf(await identify([long, long, long]))).toBeUndefined();
  });

  it("memories in memories a hundred thousand deep", async () => {
    const depth = 100_000;
    const deep = `${'{"memory":'.repeat(depth)}{"id":"a"}${"}".repeat(depth)}`;
    const content = await identifyContent(`[${deep}]`);
    const reached = { ...content, layout: "records" as const };
    const records = { count: 1, path: [], envelope: undefined, at: () => deep };
    expect(await memoriesOf({ ...reached, records })).toBeUndefined();
  });
});

it.each<[string, unknown]>([
  ["memories", memories],
  ["search hits", hits],
  ["memories in an object", { memories, query: "cache" }],
  ["hits in an object", { memories: hits }],
])("the whole set is taken from an artifact of %s", (_, artifact) => {
  expect(preBudgetSet(artifact)).toBe(JSON.stringify(artifact));
});

it("memories in the artifact are not the answer where that is longer", () => {
  const value = "A long answer with one source. ".repeat(500);
  const artifact = memories.slice(0, 1);
  expect(unwrapOutput({ value, artifact }).text).toBe(value);
  expect(unwrapOutput({ value: "See below.", artifact }).text).toBe(JSON.stringify(artifact));
});

it.each<[string, unknown]>([
  ["nothing", undefined],
  ["null", null],
  ["text", "memories"],
  ["an empty set", { memories: [] }],
  ["documents of a retriever", [{ pageContent: "a", metadata: { id: "b" } }]],
  ["what the MCP adapters add", [{ type: "mcp_structured_content", data: { memories } }]],
  ["memories among other data", [...memories.slice(0, 3), { id: "a" }]],
])("an artifact of %s is left alone", (_, artifact) => {
  expect(preBudgetSet(artifact)).toBeUndefined();
});
