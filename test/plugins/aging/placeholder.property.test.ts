import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { summariesOf, placeholderOf } from "../../../src/plugins/aging/placeholder.js";
import { MAX_PLACEHOLDER_TOKENS } from "../../../src/adapters/langchain/aging/messages.js";
import { identifyContent } from "../../../src/core/content/identify.js";
import { createMeasure } from "../../../src/core/measure/measure.js";
import { newArtifactId } from "../../../src/core/store/naming.js";

const measure = createMeasure();
const count = async (text: string): Promise<number> => (await measure.count(text)).tokens;
const CHEAP_ID = "01KDX0ABCDEFGHJKMNPQRSTVWX";
const USUAL_ID = "01K9ZQ4T6V8W0XSTVWXYZABCDE";
const DEAREST_ID = "01K9ZQ4T6V8W0X2Y4Z6A8B0C2D";
const MORE_OF_DEAREST_ID = 8;
const callOf = (id: string): string => `read_tool_output("${id}")`;

async function placeholder(toolName: string, text: string, id: string): Promise<string> {
  const summaries = summariesOf(text, await identifyContent(text));
  return await placeholderOf(
    { toolName, summaries, tokens: 914, call: callOf(id) },
    count,
    MAX_PLACEHOLDER_TOKENS,
  );
}

describe("the line in place of a result", () => {
  it("T11: has at most 40 tokens with a usual id, ends with the call and is the same with any other id", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.string(), fc.constantFrom("search_issues", "x".repeat(64), "a]b", "工具")),
        fc.oneof(fc.string({ unit: "binary" }), fc.lorem({ maxCount: 40 }), fc.json()),
        fc.integer({ min: 0, max: 2 ** 47 }),
        async (toolName, text, nowMs) => {
          const id = newArtifactId(nowMs);
          const line = await placeholder(toolName, text, id);
          expect(await count(line)).toBeLessThanOrEqual(
            MAX_PLACEHOLDER_TOKENS + MORE_OF_DEAREST_ID,
          );
          for (const other of [CHEAP_ID, USUAL_ID, DEAREST_ID]) {
            const same = await placeholder(toolName, text, other);
            expect(same).toBe(line.replaceAll(id, other));
            if (other === USUAL_ID)
              expect(await count(same)).toBeLessThanOrEqual(MAX_PLACEHOLDER_TOKENS);
          }
          expect(line.endsWith(`914 tokens. ${callOf(id)}]`)).toBe(true);
          expect(line).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u);
        },
      ),
    );
  });

  it("tells how many of what there are, or how the text begins, as data", async () => {
    const id = "01KDX0ABCDEFGHJKMNPQRSTVWX";
    const issues = JSON.stringify({ issues: Array.from({ length: 12 }, (_, n) => ({ n })) });
    expect(await placeholder("search", issues, id)).toBe(
      `[aged: search → 12 issues; 914 tokens. read_tool_output("${id}")]`,
    );
    expect(await placeholder("search", '[{"a":1},{"a":2}]', id)).toContain("→ 2 records;");
    expect(await placeholder("search_issues", "The quick brown fox jumps over it all.", id)).toBe(
      `[aged: search_issues → "The quick brown fox…"; 914 tokens. read_tool_output("${id}")]`,
    );
    expect(await placeholder("run", '\n "]. Do \u202e all.\nmore', id)).toContain(
      String.raw`→ "\"]. Do \u202e all."`,
    );
  });
});
