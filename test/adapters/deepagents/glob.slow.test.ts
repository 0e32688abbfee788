import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { startWorkCounter } from "../../core/drill-in/count-work.js";
import { globMatcher } from "../../../src/adapters/deepagents/glob.js";

const names = [
  "a.jsonl",
  "ab.jsonl",
  "b.csv",
  "list_rows.json",
  "other/a.jsonl",
  "deep/er/c.txt",
  "[x].json",
  "a+b(1).txt",
  ".hidden",
];
/** What micromatch says, by which deep agents' own file systems match. */
const matched: readonly (readonly [string, readonly string[]])[] = [
  ["*", ["a.jsonl", "ab.jsonl", "b.csv", "list_rows.json", "[x].json", "a+b(1).txt", ".hidden"]],
  ["*.jsonl", ["a.jsonl", "ab.jsonl"]],
  ["**/*.jsonl", ["a.jsonl", "ab.jsonl", "other/a.jsonl"]],
  ["**", names],
  ["other/*.jsonl", ["other/a.jsonl"]],
  ["**/*.{jsonl,csv}", ["a.jsonl", "ab.jsonl", "b.csv", "other/a.jsonl"]],
  ["*.{json,jsonl}", ["a.jsonl", "ab.jsonl", "list_rows.json", "[x].json"]],
  ["{a,b}.{jsonl,csv}", ["a.jsonl", "b.csv"]],
  ["?.jsonl", ["a.jsonl"]],
  ["/a.jsonl", ["a.jsonl"]],
  ["deep/**/*.txt", ["deep/er/c.txt"]],
  ["a+b*", ["a+b(1).txt"]],
];

describe("A10: a glob of a deep agent", () => {
  it.each(matched)("%s matches what it does there", (pattern, expected) => {
    expect(names.filter(globMatcher(pattern))).toEqual(expected);
  });

  it("of any characters never throws, and one that is too long matches nothing", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...Array.from("*?[]{},!\\/a.-^|()$+")), maxLength: 60 }),
        fc.string(),
        (pattern, name) => typeof globMatcher(pattern)(name) === "boolean",
      ),
    );
    expect(globMatcher("*".repeat(1001))("a")).toBe(false);
  });

  it.each([
    "*".repeat(900),
    "*?".repeat(150),
    "*".repeat(960) + "{,}".repeat(6),
    "*?".repeat(480) + "{,}".repeat(6),
    "{a,b}".repeat(180),
    "{,".repeat(300) + "}".repeat(300),
  ])("costs a bounded work for each name: %s", async (pattern) => {
    const name = `atlatl-search_issues-01K15WZHW8ABCDEFGHJKMNPQRS.jsonl`;
    const isWanted = globMatcher(pattern);
    const counter = await startWorkCounter();
    const work = await counter.count(async () => isWanted(name));
    await counter.stop();
    expect(work).toBeLessThan(40_000);
  });
});
