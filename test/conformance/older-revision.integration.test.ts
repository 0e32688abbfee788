import { describe, expect, it } from "vitest";

import { createMeasure } from "../../src/core/measure/measure.js";
import { resolveOptions } from "../../src/core/options/resolve.js";
import { atlatl } from "../../src/presets/atlatl/atlatl.js";
import { call, linesOf, memories, responseOf } from "./walk.js";

/** Search hits as a memory service returns them. */
const hits = memories(120, "full").map((memory, at) => ({ memory, score: (at + 1) / 200 }));

describe("the older revision", () => {
  it("9A one global threshold, 6,400 tokens unless configured", async () => {
    const measure = createMeasure();
    const set = memories(40, "light");
    const { tokens } = await measure.count(JSON.stringify(set));
    expect(tokens).toBeGreaterThan(1600);
    expect(resolveOptions({ preset: atlatl() }).thresholdTokens).toBe(6400);
    const at = async (extra: string): Promise<string> =>
      (await call([...set, { id: "last", content: extra }], { preset: atlatl() })).message.text;
    // Each added word is one token, so the set is brought to both sides of the threshold.
    const padded = async (words: number): Promise<number> =>
      (await measure.count(JSON.stringify([...set, { id: "last", content: " a".repeat(words) }])))
        .tokens;
    const words = 6400 - (await padded(1)) + 1;
    expect([await padded(words), await padded(words + 1)]).toEqual([6400, 6401]);
    expect(await at(" a".repeat(words))).not.toContain('"offloaded":true');
    expect(await at(" a".repeat(words + 1))).toContain('"offloaded":true');
  });

  it("30A the summary has the range of the scores, which no line has", async () => {
    const called = await call(hits, { preset: atlatl(), toolName: "search_memories" });
    expect(responseOf(called).summary).toMatchObject({ count: 120, score_range: [0.005, 0.6] });
    expect(
      linesOf(called)
        .slice(1)
        .filter((line) => line.includes('"score"')),
    ).toEqual([]);
  });

  it("31A MUST ten recipes in its own order", async () => {
    const { jq_recipes: recipes } = responseOf(
      await call(memories(200, "full"), { preset: atlatl() }),
    );
    expect(recipes.map(({ description }) => description)).toEqual([
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
  });

  it("41A SHOULD the guidance is its own template", async () => {
    const { guidance } = responseOf(await call(memories(200, "full"), { preset: atlatl() }));
    expect(guidance).toContain("- Browse: recipe #1 (titles with scores)");
    expect(guidance).toContain("- Analyze: recipe #8 (count by namespace)");
    expect(guidance).toContain("Read the file directly only if you need the complete dataset.");
  });

  it("70A there is no native extraction: recipe numbers mean something else", async () => {
    const { boundTools, message } = await call(memories(200, "full"), { preset: atlatl() });
    expect(boundTools).toContain("jq_tool_output");
    expect(boundTools).not.toContain("lro_extract");
    expect(message.text).not.toContain("lro_extract");
  });
});
