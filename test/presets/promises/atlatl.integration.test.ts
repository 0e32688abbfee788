import { readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { memoryCorpus } from "../../../bench/corpus.js";
import type { OffloadOptions } from "../../../src/core/options/options.js";
import { atlatl, extract } from "../../../src/presets/index.js";
import { fileStore } from "../../../src/core/store/file/index.js";
import { RESPONSE_FIELDS, SUMMARY_FIELDS } from "../../conformance/offload-call.js";
import { temporaryDirectories } from "../../core/store/temporary-directory.js";
import { at, eventsOf, type Step, talk, type Talk, words } from "./rig.js";

const makeDirectory = temporaryDirectories();
const memories = memoryCorpus(60, "full");
const recall: Step = [["recall_memories", { detail: "full" }]];

async function ask(
  value: unknown,
  given: OffloadOptions = {},
  steps: readonly Step[] = [recall],
): Promise<Talk> {
  const options = {
    preset: atlatl(),
    store: fileStore({ directory: await makeDirectory() }),
    ...given,
  };
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return await talk({ options, tools: { recall_memories: () => text } }, steps);
}

const responseIn = ({ answers }: Talk) => JSON.parse(at(answers, 0));

describe("atlatl, promise by promise", () => {
  it("1 Threshold Detection: 6,400 tokens by default, more than that is offloaded", async () => {
    expect((await ask(words(6_400))).answers[0]).toBe(words(6_400));
    expect(eventsOf(await ask(words(6_401)), "offloaded")).toHaveLength(1);
    const records = JSON.stringify(memoryCorpus(40, "light"));
    expect((await ask(records)).answers[0]).toBe(records);
  });

  it("2 Configuration: threshold_tokens of the environment comes before the 6,400", async () => {
    const env = { ATLATL_PROMPT__OFFLOAD__THRESHOLD_TOKENS: "2000" };
    const told = await ask(words(2_001), { preset: atlatl({ env }) });
    expect(eventsOf(told, "offloaded")[0]?.reason).toBe("threshold of 2000 tokens");
    expect(told.offloader.options.thresholdTokens).toBe(2_000);
    expect((await ask(words(2_000), { preset: atlatl({ env }) })).answers[0]).toBe(words(2_000));
  });

  it("3 Configuration: the other three variables hold too", async () => {
    const directory = await makeDirectory();
    const env = {
      ATLATL_PROMPT__OFFLOAD__TTL_SECONDS: "60",
      ATLATL_PROMPT__OFFLOAD__OUTPUT_DIR: directory,
    };
    const tools = { recall_memories: () => JSON.stringify(memories) };
    const told = await talk({ options: { preset: atlatl({ env }) }, tools }, [recall]);
    const [{ storedArtifact } = expect.fail()] = eventsOf(told, "offloaded");
    expect(storedArtifact.expiresAt - storedArtifact.createdAt).toBe(60_000);
    expect(storedArtifact.filePath?.startsWith(directory)).toBe(true);
    const off = atlatl({ env: { ATLATL_PROMPT__OFFLOAD__ENABLED: "false" } });
    expect(eventsOf(await ask(memories, { preset: off }), "offloaded")).toEqual([]);
  });

  it("4 JSONL File Format: a header line and one memory a line", async () => {
    const stored = readFileSync(responseIn(await ask(memories)).file_path, "utf8");
    const [header, ...lines] = JSON.parse(`[${stored.trimEnd().replaceAll("\n", ",")}]`);
    expect(header.type).toBe("lro_header");
    expect(lines).toEqual(memories);
  });

  it("5 Inline Response Format: the OffloadResponse with every field of its struct", async () => {
    const response = responseIn(await ask(memories));
    expect(Object.keys(response)).toEqual(RESPONSE_FIELDS);
    expect(Object.keys(response.summary)).toEqual(SUMMARY_FIELDS);
    const hits = memories.map((memory, at) => ({ memory, score: (at + 1) / 200 }));
    const scored = responseIn(await ask(hits));
    expect(scored.summary).toMatchObject({ count: 60, score_range: [0.005, 0.3] });
    expect(readFileSync(scored.file_path, "utf8")).not.toContain('"score"');
  });

  it("6 Standard jq Recipe Library: its ten recipes in its order, at any threshold from 2,000 tokens on", async () => {
    for (const count of [8, 9, 10, 12, 20, 60]) {
      const told = await ask(memories.slice(0, count), { threshold: { tokens: 2_000 } });
      if (eventsOf(told, "offloaded").length === 0) continue;
      const said = responseIn(told).jq_recipes.map(
        ({ description }: { readonly description: string }) => description,
      );
      expect(said).toEqual([
        "List all titles with scores",
        "Filter by namespace prefix",
        "Search titles by keyword",
        "Sort by confidence (descending)",
        "Extract IDs and titles only",
        "Filter by memory type",
        "Get memories with entities",
        "Count by namespace",
        "Get top N by score",
        "Full-text search in content",
      ]);
    }
  });

  it("7 Guidance Prompt: the template with recipes 1 and 8", async () => {
    const { guidance } = responseIn(await ask(memories));
    expect(guidance).toContain("- Browse: recipe #1 (titles with scores)");
    expect(guidance).toContain("- Analyze: recipe #8 (count by namespace)");
    expect(guidance).toContain("Read the file directly only if you need the complete dataset.");
  });

  it("8 Standard jq Recipe Library: recipe 9 is limited to the ten best", async () => {
    const { jq_recipes: recipes } = responseIn(await ask(memories));
    expect(recipes[8].command).toContain(".[:10]");
  });

  it("9 Integration: recipe numbers are for the shell, there is no extraction tool", async () => {
    const told = await ask(memories);
    expect(told.tools[0]).toContain("jq_tool_output");
    expect(told.tools[0]).not.toContain("lro_extract");
    expect(at(told.answers, 0)).not.toContain("lro_extract");
    // It would run other recipes by these numbers.
    const beside = await ask(memories, { plugins: [extract()] });
    expect(at(beside.answers, 0)).not.toContain("lro_extract");
  });

  it("10 Inline Response Format: long namespaces are whole in the summary", async () => {
    const long = `_semantic/${"x".repeat(200)}`;
    const told = await ask(memories.map((memory) => ({ ...memory, namespace: long })));
    expect(responseIn(told).summary.top_namespaces).toEqual([long]);
  });

  it("11 Cleanup and Lifecycle: files live for 3,600 seconds", async () => {
    const { createdAt = 0, expiresAt = 0 } =
      eventsOf(await ask(memories), "offloaded")[0]?.storedArtifact ?? {};
    expect(expiresAt - createdAt).toBe(3_600_000);
  });

  it("12 Error Handling: a failed write gives the beginning with a warning, and the operation succeeds", async () => {
    const put = async (): Promise<never> => await Promise.reject(new Error("disk full"));
    const store = { ...fileStore({ directory: await makeDirectory() }), put };
    const told = await ask(memories, { store });
    expect(responseIn(told)).toMatchObject({ offload_failed: true, total_count: 60 });
    expect(told.messages[0]?.status).not.toBe("error");
  });

  it("13 Known Constraints: where no file is, no shell command is promised", async () => {
    const { memoryStore } = await import("../../../src/core/store/memory.js");
    const told = await ask(memories, { store: memoryStore() });
    expect(at(told.answers, 0)).not.toMatch(/tail -n|Read the file/);
    expect(responseIn(told).summary.count).toBe(60);
  });
});
