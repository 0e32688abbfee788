import { describe, expect, it } from "vitest";
import { describeAsAtlatl } from "../../../src/presets/atlatl/atlatl.js";
import type { DrillInToolNames } from "../../../src/core/types/result.js";
import { countTokens, store, ULID, valuesContent } from "../../core/describe/fixture.js";

const memories = Array.from({ length: 200 }, (_, at) => ({
  id: `memory-${at}`,
  title: `Decision ${at} about caching of results`,
  namespace: at % 3 === 0 ? "_semantic/decisions" : "_episodic/sessions",
  memory_type: at % 3 === 0 ? "semantic" : "episodic",
  content: "Results are kept for an hour because most questions come back within it.",
  provenance: { confidence: (at % 100) / 100 },
}));
const path = `/tmp/atlatl-recall-${ULID}.jsonl`;

async function describeMemories(
  { filePath, tools }: { filePath: string | undefined; tools: DrillInToolNames } = {
    filePath: path,
    tools: {},
  },
): Promise<{ text: string; tokens: number; full: number }> {
  const content = valuesContent(memories);
  const stored = await store(content, { operation: "recall", args: { detail: "full" } });
  const { text, tokens } = await describeAsAtlatl({
    ...stored,
    storedArtifact: { ...stored.storedArtifact, filePath },
    tools,
    count: countTokens,
    scoreRange: [0.12, 0.98],
    text: "",
  });
  return { text, tokens, full: stored.storedArtifact.tokens };
}

describe("atlatl preset", () => {
  it("names an id and the tools, and no shell, where the store has no local files", async () => {
    const tools = { read: "read_tool_output", grep: "grep_tool_output", jq: "jq_tool_output" };
    const { text, tokens, full } = await describeMemories({ filePath: undefined, tools });
    const response = JSON.parse(text);
    expect(response.file_path).toBe(ULID);
    expect(response.jq_recipes[0]).toEqual({
      description: "List all titles with scores",
      command: "[.title, .provenance.confidence] | @tsv",
    });
    expect(response.guidance).toContain("Pass file_path as id. jq_tool_output filters");
    expect(text).not.toMatch(/tail -n|'\/|\.jsonl|shell|Read the file/);
    expect(tokens).toBeLessThanOrEqual(0.8 * full);
    // It would run other recipes by these numbers.
    const beside = { filePath: undefined, tools: { ...tools, extract: "lro_extract" } };
    expect((await describeMemories(beside)).text).toBe(text);
    const without = await describeMemories({ filePath: undefined, tools: {} });
    expect(without.text).not.toMatch(/tail -n|_tool_output|shell|Read the file/);
  });
});
