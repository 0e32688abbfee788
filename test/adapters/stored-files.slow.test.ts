import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { readLines } from "../../src/adapters/deepagents/stored-file-read.js";
import { startWorkCounter } from "../core/drill-in/count-work.js";
import { searchArtifact } from "../../src/adapters/deepagents/stored-file-search.js";
import { memoryStore } from "../../src/core/store/memory.js";
import { contractArtifact } from "../../src/testing/store-contract/contract-artifact.js";
import type { StoredArtifact } from "../../src/core/types/artifact.js";

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

describe("reading lines of a stored file", () => {
  it("gives the lines asked for, and where the next one is", async () => {
    const artifact = await storedText("one\ntwo\nthree\nfour");
    expect(await readLines(store, artifact, { offsetLines: 1, limitLines: 2 })).toEqual({
      content: "two\nthree",
      mimeType: "text/plain",
      totalLines: 4,
      startLine: 2,
      endLine: 3,
      nextOffset: 3,
    });
    const rest = await readLines(store, artifact, { offsetLines: 3, limitLines: 100 });
    expect(rest).toMatchObject({ content: "four", endLine: 4 });
    expect(rest).not.toHaveProperty("nextOffset");
  });

  it("reaches every line by following the next offset", async () => {
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
          read.push(...page.content.split("\n"));
          next = page.nextOffset;
        }
        expect(read).toEqual(given);
      }),
      { numRuns: 60 },
    );
  });
});

describe("searching a stored file", () => {
  it("finds each line that contains the text, once", async () => {
    const artifact = await storedText("a.b\nab\nxa.b a.b\n");
    expect(await searchArtifact(store, artifact, "a.b", 10)).toEqual({
      matches: [
        { path: `/${artifact.fileName}`, line: 1, text: "a.b" },
        { path: `/${artifact.fileName}`, line: 3, text: "xa.b a.b" },
      ],
      truncated: false,
    });
  });

  it.each([
    ["lines without end", "\n", "x"],
    ["a text that ends as its beginning does", "a", "a".repeat(500) + "b" + "a".repeat(499)],
    ["a text that all but matches everywhere", "a", "a".repeat(999) + "b"],
  ])("looks at each byte a few times and lets others run, with %s", async (_, byte, text) => {
    const artifact = await storedText(byte.repeat(5 << 20));
    let turns = 0;
    let timer = setImmediate(function turn() {
      turns += 1;
      timer = setImmediate(turn);
    });
    const counter = await startWorkCounter();
    const work = await counter.count(() => searchArtifact(store, artifact, text, 5));
    await counter.stop();
    clearImmediate(timer);
    expect(work).toBeLessThan(10 * (5 << 20));
    expect(turns).toBeGreaterThanOrEqual(4);
  });

  it("finds in lines across the chunks it reads what a search of the whole finds", async () => {
    const filler = fc.constantFrom(1, 3000, 20_000, 600_000, 1_048_570, 1_048_576, 1_100_000);
    const part = fc.tuple(
      filler,
      fc.constantFrom("needle", "nee\ndle", "\n", "é\n", "needleneedle"),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 6 }), async (parts) => {
        const text = parts.map(([size, end]) => "x".repeat(size) + end).join("");
        const artifact = await storedText(text);
        const { matches } = await searchArtifact(store, artifact, "needle", 1000);
        const expected = text
          .split("\n")
          .flatMap((line, index) => (line.includes("needle") ? [index + 1] : []));
        expect(matches.map(({ line }) => line)).toEqual(expected);
        for (const match of matches) {
          expect(match.text).toContain("needle");
          expect(match.text.length).toBeLessThanOrEqual(16_384);
        }
      }),
      { numRuns: 40 },
    );
  });
});
