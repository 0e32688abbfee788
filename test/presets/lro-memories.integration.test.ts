import { describe, expect, it } from "vitest";

import { memoryCorpus } from "../../bench/corpus.js";
import type { OffloadOptions } from "../../src/core/options/options.js";
import { lro } from "../../src/presets/index.js";
import { fileStore } from "../../src/core/store/file/index.js";
import type { DetailLevel } from "../../src/core/types/artifact.js";
import { temporaryDirectories } from "../core/store/temporary-directory.js";
import { at, eventsOf, type Step, talk, type Talk } from "./promises/rig.js";

const makeDirectory = temporaryDirectories();

async function preset(given: OffloadOptions = {}): Promise<OffloadOptions> {
  return { preset: lro(), store: fileStore({ directory: await makeDirectory() }), ...given };
}

async function ask(
  value: unknown,
  steps: readonly Step[] = [[["recall_memories", { detail: "full" }]]],
  options?: OffloadOptions,
): Promise<Talk> {
  const tools = {
    recall_memories: () => (typeof value === "string" ? value : JSON.stringify(value)),
  };
  return await talk({ options: options ?? (await preset()), tools }, steps);
}

const memories = (count: number, detail: DetailLevel = "full"): Record<string, unknown>[] =>
  memoryCorpus(count, detail);
const recall = (detail: DetailLevel): Step => [["recall_memories", { detail }]];
const responseIn = (answers: readonly string[]) => JSON.parse(at(answers, 0));

describe("memories by lro", () => {
  it("what characters / 4 would have decided stands in the event, either way", async () => {
    // Prose of long words: fewer tokens than characters / 4. Numbers: more.
    const prose = [{ id: "1", text: "international organization responsibility ".repeat(190) }];
    const kept = eventsOf(await ask(prose), "kept-inline");
    expect(kept).toHaveLength(1);
    expect(kept[0]?.tokens).toBeLessThanOrEqual(1_600);
    expect(kept[0]?.byCharacters).toEqual({ tokens: expect.any(Number), offloads: true });
    const digits = Array.from({ length: 320 }, (_, id) => ({ n: 123_456_789_012 + id * 7_919 }));
    const [offloaded] = eventsOf(await ask(digits), "offloaded");
    expect(offloaded?.byCharacters).toEqual({ tokens: expect.any(Number), offloads: false });
    expect(offloaded?.storedArtifact.tokens).toBeGreaterThan(1_600);
    // Over the threshold by its tokens only, and within that of texts.
    const text = "7 ".repeat(2_000);
    const told = await ask(text);
    expect(told.answers).toEqual([text]);
    expect(eventsOf(told, "kept-inline")).toEqual([]);
  });

  it("at most five top namespaces, whole however long, as recipe 2 needs them", async () => {
    const long = `_semantic/${"department-of-everything/".repeat(8)}decisions`;
    const value = memories(60).map((memory, index) => ({
      ...memory,
      namespace: index < 40 ? long : `_episodic/${index}`,
    }));
    const told = await ask(value, [
      recall("full"),
      (answers) => {
        const { file_path, summary } = responseIn(answers);
        const params = { namespace: summary.top_namespaces[0] };
        return [["lro_extract", { file_path, recipe: 2, params }]];
      },
    ]);
    expect(responseIn(told.answers).summary.top_namespaces[0]).toBe(long);
    expect(responseIn(told.answers).summary.top_namespaces).toHaveLength(5);
    expect(at(told.answers, 1)).toContain(" of 40.");
  });

  it("below that threshold, where all fields would cost more than they save, a shorter form has the path", async () => {
    const low = await preset({ threshold: { tokens: 100 } });
    const told = await ask(memories(2, "light"), [recall("light")], low);
    const response = responseIn(told.answers);
    expect(response.file_path).toMatch(/\.jsonl$/);
    expect(eventsOf(told, "offloaded")[0]?.form).not.toBe("full");
  });
});
