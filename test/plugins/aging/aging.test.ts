import fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  type AgingItem,
  chooseStale,
  triggerTokens,
} from "../../../src/plugins/aging/choose-stale.js";
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

const rules = { trigger: { tokens: 1_000 }, keep: { results: 2 } };
const answer: AgingItem = { role: "answer", tokens: 50 };
const result = (tokens: number): AgingItem => ({ role: "result", tokens, agedTokens: 40 });
const staying: AgingItem = { role: "result", tokens: 400 };

/** A conversation in which each result follows the call that asked for it, and the last one is unanswered. */
function turns(...results: readonly AgingItem[]): AgingItem[] {
  return [{ role: "other", tokens: 10 }, ...results.flatMap((one) => [answer, one])];
}
const fiveOf = (tokens: number): AgingItem[] =>
  turns(...Array.from({ length: 5 }, () => result(tokens)));
const five = fiveOf(4_000);

describe("what leaves a conversation", () => {
  it("is nothing up to the trigger, and all that is stale above it", () => {
    expect(chooseStale(five, { tokens: 1_000 }, rules)).toEqual([]);
    expect(chooseStale(five, { tokens: 1_001 }, rules)).toEqual([2, 4, 6]);
  });

  it("is whatever may leave once 85 % of the window are full, and never before a trigger below that", () => {
    const little = fiveOf(400);
    const windowTokens = 10_000;
    expect(chooseStale(little, { tokens: 8_499, windowTokens }, rules)).toEqual([]);
    expect(chooseStale(little, { tokens: 8_500.1, windowTokens }, rules)).toHaveLength(3);
    const late = { ...rules, trigger: { tokens: 20_000 } };
    expect(chooseStale(little, { tokens: 8_500.1, windowTokens }, late)).toHaveLength(3);
  });

  it("frees 10,000 tokens at once, or is nothing", () => {
    const leaves = (freedTokens: number): readonly number[] =>
      chooseStale(turns(result(freedTokens + 40), staying, staying), { tokens: 50_000 }, rules);
    expect([leaves(9_999), leaves(10_000)]).toEqual([[], [2]]);
  });

  it("is never what the model has not answered yet, however many that are", () => {
    const parallel = [answer, ...Array.from({ length: 6 }, () => result(4_000))];
    expect(chooseStale(parallel, { tokens: 5_000 }, rules)).toEqual([]);
    expect(chooseStale([...parallel, answer], { tokens: 5_000 }, rules)).toEqual([1, 2, 3, 4]);
  });

  it("passes over what may not leave, which counts among the newest all the same", () => {
    const mixed = turns(result(9_000), staying, result(9_000), staying, staying);
    expect(chooseStale(mixed, { tokens: 5_000 }, rules)).toEqual([2, 6]);
  });
});

it("the trigger is 30 % of the window, at most 60,000 tokens, and 30,000 where the window is not known", () => {
  expect(triggerTokens(undefined, 100_000)).toBe(30_000);
  expect(triggerTokens(undefined, 1_000_000)).toBe(60_000);
  expect(triggerTokens(undefined, undefined)).toBe(30_000);
  expect(triggerTokens({ fraction: 0.5 }, 100_000)).toBe(50_000);
  expect(triggerTokens({ fraction: 0.5 }, undefined)).toBe(30_000);
  expect(triggerTokens({ tokens: 7 }, 100_000)).toBe(7);
});
