import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { tmpdir } from "node:os";

import { describe, expect, it } from "vitest";

import { memoryCorpus } from "../../../bench/corpus.js";
import type { OffloadOptions } from "../../../src/core/options/options.js";
import { lro } from "../../../src/presets/index.js";
import { fileStore } from "../../../src/core/store/file/index.js";
import type { DetailLevel } from "../../../src/core/types/artifact.js";
import { temporaryDirectories } from "../../core/store/temporary-directory.js";
import { at, eventsOf, type Step, talk, type Talk } from "./rig.js";

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

/** An answer of the extraction tool about 60 memories. */
async function extract(args: object, value = memories(60)): Promise<string> {
  const told = await ask(value, [
    recall("full"),
    (answers) => [["lro_extract", { file_path: responseIn(answers).file_path, ...args }]],
  ]);
  return at(told.answers, 1);
}

describe("lro, promise by promise", () => {
  it("1 Overview: results over the threshold go to a JSONL file, and the tool returns path, schema and recipes", async () => {
    const response = responseIn((await ask(memories(60))).answers);
    expect(Object.keys(response)).toEqual(
      expect.arrayContaining([
        "offloaded",
        "summary",
        "file_path",
        "line_schema",
        "jq_recipes",
        "guidance",
      ]),
    );
    expect(readFileSync(response.file_path, "utf8").trimEnd().split("\n")).toHaveLength(61);
  });

  it("2 Relationship to Pagination: the complete set is one file, and no cursor goes with it", async () => {
    const { answers } = await ask({ memories: memories(60), next_cursor: "" });
    expect(responseIn(answers).summary.count).toBe(60);
    expect(at(answers, 0)).not.toContain("next_cursor");
  });

  it("3 Threshold Detection: 1,600 tokens by default, more than that is offloaded", async () => {
    expect((await ask([])).offloader.options.thresholdTokens).toBe(1_600);
    const small = JSON.stringify(memories(5));
    expect((await ask(small)).answers[0]).toBe(small);
  });

  it("4 Threshold Detection: what characters / 4 would have decided stands in the event, either way", async () => {
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

  it("5 Threshold Detection: characters / 4 decides where it is chosen", async () => {
    const options = await preset({ tokenizer: "characters" });
    const value = (characters: number): string =>
      JSON.stringify([{ a: "x".repeat(characters - 10) }]);
    expect((await ask(value(6_400), undefined, options)).answers[0]).toBe(value(6_400));
    expect(eventsOf(await ask(value(6_401), undefined, options), "offloaded")).toHaveLength(1);
  });

  it("6 Detail Level: file and guidance have the level of the call", async () => {
    for (const detail of ["light", "medium", "full"] as const) {
      const { answers } = await ask(memories(60, detail), [recall(detail)]);
      expect(responseIn(answers).summary.detail).toBe(detail);
      expect(responseIn(answers).guidance).toContain(`Detail level: ${detail}`);
    }
  });

  it("7 JSONL File Format: a header line, then one memory a line, complete", async () => {
    const value = memories(60);
    const response = responseIn((await ask(value)).answers);
    const [header, ...lines] = readFileSync(response.file_path, "utf8").trimEnd().split("\n");
    expect(JSON.parse(header ?? "")).toMatchObject({
      type: "lro_header",
      operation: "recall",
      count: 60,
    });
    expect(lines.map((line) => JSON.parse(line))).toEqual(value);
  });

  it("8 File Naming: atlatl-{operation}-{ulid}.jsonl in the output directory, the system's temporary one by default", async () => {
    const { file_path: path } = responseIn((await ask(memories(60))).answers);
    expect(basename(path)).toMatch(/^atlatl-recall-[0-7][0-9A-HJKMNP-TV-Z]{25}\.jsonl$/);
    const told = await ask(memories(60), undefined, { preset: lro() });
    const byDefault = responseIn(told.answers).file_path;
    expect(dirname(byDefault)).toBe(tmpdir());
    await told.offloader.endSession("thread");
    expect(readdirSync(tmpdir())).not.toContain(basename(byDefault));
  });

  it("9 Inline Response Format: at most five top namespaces, whole however long, as recipe 2 needs them", async () => {
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

  it("10 Inline Response Format, Standard jq Recipe Library: from a threshold of 1,400 tokens on every field and ten recipes, at each level", async () => {
    const options = await preset({ threshold: { tokens: 1_400 } });
    for (const detail of ["light", "medium", "full"] as const) {
      for (let count = 5; count <= 20; count += 1) {
        const told = await ask(memories(count, detail), [recall(detail)], options);
        if (eventsOf(told, "offloaded").length === 0) continue;
        const response = responseIn(told.answers);
        expect({ detail, count, recipes: response.jq_recipes?.length }).toEqual({
          detail,
          count,
          recipes: 10,
        });
        expect(response.line_schema).toBeDefined();
        expect(response.guidance).toBeDefined();
      }
    }
  });

  it("11 Standard jq Recipe Library: every command skips the header of the real file", async () => {
    const response = responseIn((await ask(memories(60))).answers);
    for (const { command } of response.jq_recipes) {
      expect(command).toContain(`tail -n +2 '${response.file_path}' | jq `);
    }
  });

  it("12 Guidance Prompt: advice that names the count, the level and the ways in", async () => {
    const { guidance } = responseIn((await ask(memories(60))).answers);
    expect(guidance).toContain("Results offloaded to JSONL (60 memories, ~");
    expect(guidance).not.toMatch(/\bmust\b/i);
  });

  it("13 Cleanup and Lifecycle: files live for 3,600 seconds", async () => {
    const [event] = eventsOf(await ask(memories(60)), "offloaded");
    const { expiresAt = 0, createdAt = 0 } = event?.storedArtifact ?? {};
    expect(expiresAt - createdAt).toBe(3_600_000);
  });

  it("14 Error Handling: a failed write gives the beginning within the threshold, with a warning and an event", async () => {
    const store = fileStore({ directory: await makeDirectory() });
    const put = async (): Promise<never> => await Promise.reject(new Error("disk full"));
    const told = await ask(memories(60), undefined, await preset({ store: { ...store, put } }));
    expect(JSON.parse(at(told.answers, 0))).toMatchObject({
      offload_failed: true,
      total_count: 60,
    });
    expect(eventsOf(told, "write-failed")[0]?.specName).toBe("OffloadWriteFailed");
    expect(told.messages[0]?.status).not.toBe("error");
  });

  it("15 Configuration: the ATLATL_ variables of the environment hold where they are given", async () => {
    const env = { ATLATL_PROMPT__OFFLOAD__THRESHOLD_TOKENS: "300" };
    const value = JSON.stringify(memories(5));
    expect((await ask(value, undefined, await preset())).answers[0]).toBe(value);
    const told = await ask(value, undefined, await preset({ preset: lro({ env }) }));
    expect(eventsOf(told, "offloaded")).toHaveLength(1);
  });

  it("16 Native Extraction: lro_extract runs a recipe by its number, or a query, never both", async () => {
    expect(await extract({ recipe: 6 })).toContain('"namespace":"_episodic/incidents","count":12');
    expect(await extract({ query: "select(.provenance.confidence > 2)" })).toContain("0 results");
    expect(await extract({ recipe: 6, query: "." })).toBe("Pass recipe or query, not both.");
  });

  it("17 Native Extraction: recipes with parameters take them, ask for one that has no value, and say the one they took", async () => {
    for (const [recipe, name] of [
      [3, "keyword"],
      [7, "tag"],
      [10, "pattern"],
    ] as const) {
      expect(await extract({ recipe })).toBe(`Recipe ${recipe} needs params: {"${name}": …}.`);
      expect(await extract({ recipe, params: { [name]: "zzz" } })).toContain("0 results");
    }
    expect(await extract({ recipe: 2 })).toContain(
      'With namespace = "_semantic", the recipe\'s own; for another params: {"namespace": …}.',
    );
    expect(await extract({ recipe: 5 })).toContain('With memory_type = "semantic"');
  });

  it("18 Native Extraction: recipes 8 and 9, which give all memories, say how to limit them", async () => {
    for (const recipe of [8, 9]) {
      expect(await extract({ recipe })).toContain(
        'With limit = 60, the recipe\'s own; for another params: {"limit": …}.',
      );
      const limited = await extract({ recipe, params: { limit: 2 } });
      expect(JSON.parse(limited.split("\n")[0] ?? "")).toHaveLength(2);
    }
  });

  it("19 Native Guidance Prompt: with the extraction tool the guidance names it and no shell", async () => {
    const { guidance } = responseIn((await ask(memories(60))).answers);
    expect(guidance).toContain("lro_extract(file_path, recipe=2");
    expect(guidance).not.toMatch(/tail -n|shell/);
  });

  it("20 Shell-less LLM Clients: the summary alone answers count, namespaces and level", async () => {
    const { summary } = responseIn((await ask(memories(60))).answers);
    expect(summary).toMatchObject({
      count: 60,
      operation: "recall",
      detail: "full",
      score_range: null,
    });
    expect(summary.top_namespaces.length).toBeGreaterThan(0);
  });

  it("21 Standard jq Recipe Library: below that threshold, where all fields would cost more than they save, a shorter form has the path", async () => {
    const told = await ask(
      memories(2, "light"),
      [recall("light")],
      await preset({ threshold: { tokens: 100 } }),
    );
    const response = responseIn(told.answers);
    expect(response.file_path).toMatch(/\.jsonl$/);
    expect(eventsOf(told, "offloaded")[0]?.form).not.toBe("full");
  });
});
