import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { globMatcher } from "../../../src/adapters/deepagents/glob.js";
import { readLines } from "../../../src/adapters/deepagents/stored-file-read.js";
import { memoryStore, type StoredArtifact } from "../../../src/index.js";
import { contractArtifact } from "../../../src/testing/store-contract/contract-artifact.js";
import { startWorkCounter } from "../../core/drill-in/count-work.js";

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
  ["**/*.{jsonl,csv}", ["a.jsonl", "ab.jsonl", "b.csv", "other/a.jsonl"]],
  ["{a,b}.{jsonl,csv}", ["a.jsonl", "b.csv"]],
  ["?.jsonl", ["a.jsonl"]],
  ["/[^b].jsonl", ["a.jsonl"]],
  ["./[ab].{jsonl,{csv,md}}", ["a.jsonl", "b.csv"]],
  ["deep/**/*.txt", ["deep/er/c.txt"]],
  ["a+b*", ["a+b(1).txt"]],
];

describe("A10: a glob of a deep agent", () => {
  it.each(matched)("%s matches what it does there", (pattern, expected) => {
    expect(names.filter(globMatcher(pattern))).toEqual(expected);
  });

  it("of any characters is used or refused in words", () => {
    const unit = fc.constantFrom(...Array.from("*?[]{},!\\/a.-^|()$+"));
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 60 }), fc.string(), (pattern, name) => {
        expect(() => globMatcher(pattern)(name)).not.toThrow(/^(?!This glob cannot)/);
      }),
    );
    for (const pattern of ["!(*.md)", "{a", "[z-a]", "*".repeat(1001)])
      expect(() => globMatcher(pattern)).toThrow("This glob cannot");
  });

  it.each([
    "*".repeat(900),
    "*?".repeat(150),
    "*?".repeat(480) + "{,}".repeat(6),
    "{,".repeat(300) + "}".repeat(300),
  ])("costs a bounded work for each name: %s", async (pattern) => {
    const name = `atlatl-search_issues-01K15WZHW8ABCDEFGHJKMNPQRS.jsonl`;
    const isWanted = globMatcher(pattern);
    const counter = await startWorkCounter();
    const work = await counter.count(async () => isWanted(name));
    await counter.stop();
    expect(work).toBeLessThan(60_000);
  });
});

const store = memoryStore({ now: () => 0 });
const storedText = async (text: string): Promise<StoredArtifact> => {
  const body = Buffer.from(text, "utf8");
  return await store.put(
    {
      ...contractArtifact(0),
      sizeBytes: body.length,
      headerBytes: 0,
      lineCount: text.split("\n").length - (text.endsWith("\n") ? 1 : 0),
    },
    [body],
  );
};

it("reading lines of a stored file tells their places, and reaches every line by following the next offset", async () => {
  const lines = fc.array(fc.stringMatching(/^[^\n\uD800-\uDFFF]{0,20}$/u), { minLength: 1 });
  await fc.assert(
    fc.asyncProperty(lines, fc.integer({ min: 1, max: 7 }), async (given, limitLines) => {
      const artifact = await storedText(given.map((line) => `${line}\n`).join(""));
      const read: string[] = [];
      for (let next: number | undefined = 0; next !== undefined;) {
        const page: Awaited<ReturnType<typeof readLines>> = await readLines(store, artifact, {
          offsetLines: next,
          limitLines,
        });
        const place = { totalLines: given.length, startLine: next + 1 };
        expect(page).toMatchObject({ ...place, mimeType: "text/plain" });
        read.push(...page.content.split("\n"));
        expect(page.endLine).toBe(read.length);
        next = page.nextOffset;
      }
      expect(read).toEqual(given);
    }),
    { numRuns: 60 },
  );
});
