import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { readLines } from "../../src/adapters/deepagents/stored-file-read.js";
import { memoryStore, type StoredArtifact } from "../../src/index.js";
import { contractArtifact } from "../../src/testing/store-contract/contract-artifact.js";

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
