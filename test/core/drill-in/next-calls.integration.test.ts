import { afterAll, describe, expect, it } from "vitest";

import type { DrillInAnswer } from "../../../src/core/drill-in/drill-in.js";
import { addRecords, CALL, createTestStore, drillInOver } from "./stored-outputs.js";

const store = createTestStore();
const small = drillInOver(store, { maxOutputTokens: 160 });
const middle = drillInOver(store, { maxOutputTokens: 400 });
const large = drillInOver(store, { maxOutputTokens: 100_000 });
afterAll(() => Promise.all([small.close(), middle.close(), large.close()]));

type Tool = "grep" | "jq" | "extract";
type Arguments = Readonly<Record<string, unknown>>;

function nextOf(answer: DrillInAnswer): Arguments | undefined {
  const json = /Next call: \w+ (\{.*\})$/m.exec(answer.text)?.[1];
  return json === undefined ? undefined : JSON.parse(json);
}

/** What stands before the notes of an answer whose items are JSON values or numbered lines. */
function itemsOf(answer: DrillInAnswer): string[] {
  return answer.text.split("\n").filter((line) => /^\d+[:-]/.test(line) || isJson(line));
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

async function follow(tool: Tool, first: Arguments, drillIn = small): Promise<string[]> {
  const items: string[] = [];
  for (let args: Arguments | undefined = first; args !== undefined;) {
    const answer: DrillInAnswer = await drillIn.run(tool, args, CALL);
    items.push(...itemsOf(answer));
    const next = nextOf(answer);
    // The same question: nothing but its place differs.
    const { skip: _, limit: __, ...question } = next ?? {};
    if (next !== undefined) expect(args).toMatchObject(question);
    args = next;
  }
  return items;
}

const RECORDS = Array.from({ length: 60 }, (_, n) => ({
  n,
  name: `record number ${n}`,
  tags: n % 7 === 3 ? null : [n, n + 1],
}));
const records = addRecords(store, RECORDS, {
  recipes: [{ description: "Names", filter: ".name", slurp: false, raw: false, params: {} }],
});

describe("a next call is the same question, further on", () => {
  it.each([
    [".name"],
    // D2: records that fail are passed over on every page.
    [".tags[] | {tag: .}"],
    // D3: skip and limit of the model's own.
    ["skip(1; .tags[]?) | {tag: .}"],
    ["skip(2; inputs) | .name"],
    ["limit(1; .tags[]?, .name)"],
    ["inputs | select(.n > 5) | .name # all"],
    ["., input | .n"],
  ])("of jq: %s", async (filter) => {
    const args = { id: records.id, filter };
    const whole = await large.run("jq", args, CALL);
    expect(nextOf(whole)).toBeUndefined();
    expect(await follow("jq", args)).toEqual(itemsOf(whole));
  });

  it("of grep with context: every line is there, some twice, a hit before a page as its context", async () => {
    const args = { id: records.id, pattern: "number .*[37]", before: 1, after: 2 };
    const whole = await large.run("grep", args, CALL);
    const lines = new Set(await follow("grep", args, middle));
    const once = [...lines].filter(
      (line) => !lines.has(line.replace(/^(\d+)-/, "$1:")) || !/^\d+-/.test(line),
    );
    expect(once.length).toBeLessThan(lines.size);
    expect(once.toSorted()).toEqual(itemsOf(whole).toSorted());
  });
});
