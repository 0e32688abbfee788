import { expect, it } from "vitest";

import { memoryCorpus } from "../../../../bench/corpus.js";
import { unwrapOutput } from "../../../../src/core/content/unwrap.js";
import { preBudgetSet } from "../../../../src/core/content/mif/memory-schema.js";

const memories = memoryCorpus(20, "medium");
const hits = memories.map((memory) => ({ memory, score: 0.5 }));

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
