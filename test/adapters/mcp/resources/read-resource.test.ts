import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";

import { storedResources } from "../../../../src/adapters/mcp/stored-resources.js";
import { createOffloader, scopeOf } from "../../../../src/core.js";
import { internals } from "../../../../src/core/pipeline/offloader.js";
import { memoryStore } from "../../../../src/core/store/memory.js";
import type { StoredArtifact } from "../../../../src/core/types/artifact.js";

const offloader = createOffloader({ store: memoryStore() });
const { measure } = internals(offloader).core.drillIns();
afterAll(() => offloader.close());

const addressOf = ({ id }: StoredArtifact, query = ""): string =>
  `offload://tool-output/${id}${query}`;

/** Follows the addresses from the first to the last; the bytes of all, and the most tokens that any had. */
async function readAll(first: string, maxReadTokens: number) {
  const resources = storedResources(offloader, { scope: scopeOf("s"), maxReadTokens });
  const parts: Buffer[] = [];
  let most = 0;
  for (let uri: string | undefined = first, reads = 0; uri !== undefined; reads += 1) {
    if (reads > 2000) throw new Error("It does not end.");
    const {
      problem,
      contents = [],
    }: { problem?: string | undefined; contents?: readonly Content[] } = await resources.read(uri);
    if (problem !== undefined) return { problem, most, bytes: undefined };
    const [content, next] = contents;
    const { text, blob } = content ?? {};
    // A text with lone surrogates is WTF-8 in the store.
    parts.push(blob === undefined ? Buffer.from(text ?? "", "utf8") : Buffer.from(blob, "base64"));
    const shown = contents.map((one) => one.text ?? one.blob).join("\n");
    most = Math.max(most, (await measure.count(shown)).tokens);
    uri = next?.uri;
  }
  return { bytes: Buffer.concat(parts), most, problem: undefined };
}

type Content = { readonly uri: string; readonly text?: string; readonly blob?: string };

const store = async (value: string): Promise<StoredArtifact> =>
  (await offloader.put(value, { sessionId: "s" })).storedArtifact;

const texts = fc.oneof(
  fc.string({ unit: "binary", maxLength: 4000 }),
  fc
    .array(fc.string({ unit: "grapheme", maxLength: 80 }), { maxLength: 80 })
    .map((all) => all.join("\n")),
  fc.nat(20_000).map((length) => "漢字😀".repeat(length % 3000)),
);

describe("a stored output as a resource", () => {
  it("comes whole, byte for byte, whoever follows its addresses, in parts within the limit", async () => {
    await fc.assert(
      fc.asyncProperty(texts, fc.constantFrom(300, 1000, 2000), async (text, maxTokens) => {
        fc.pre(text !== "" && text.isWellFormed());
        const artifact = await store(text);
        const stored = Buffer.from(await offloader.store.read(artifact));
        const { bytes, most } = await readAll(addressOf(artifact), maxTokens);
        expect(bytes?.equals(stored)).toBe(true);
        expect(most).toBeLessThanOrEqual(maxTokens);
      }),
      { numRuns: 60 },
    );
  });

  it("gives exactly the bytes that are asked for, also where they split a character", async () => {
    await fc.assert(
      fc.asyncProperty(texts, fc.nat(12_000), fc.nat(12_000), async (text, from, length) => {
        fc.pre(text !== "" && text.isWellFormed());
        const artifact = await store(text);
        const stored = Buffer.from(await offloader.store.read(artifact));
        const start = from % (stored.length + 1);
        const range = `?start_byte=${start}&end_byte=${start + length}`;
        const { bytes } = await readAll(addressOf(artifact, range), 500);
        expect(bytes?.equals(stored.subarray(start, start + length))).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it("gives the lines that are asked for", async () => {
    const lines = Array.from({ length: 3000 }, (_, at) => `line ${at + 1} é`);
    const artifact = await store(lines.join("\n"));
    for (const [first, last] of [
      [1, 1],
      [2, 5],
      [2999, 3000],
      [10, 2500],
      [3000, 9000],
    ] as const) {
      const uri = addressOf(artifact, `?start_line=${first}&end_line=${last}`);
      const { bytes } = await readAll(uri, 400);
      expect(bytes?.toString().trimEnd().split("\n")).toEqual(lines.slice(first - 1, last));
    }
    for (const [query, problem] of [
      ["start_line=3001", "past the end: the output has 3,000 lines"],
      ["start_line=0", "counted from 1"],
      ["start_line=5&end_line=4", "before its start"],
      ["start_byte=999999999", "past the end"],
      ["start_byte=5&end_byte=4", "before its start"],
    ]) {
      const read = await readAll(addressOf(artifact, `?${query}`), 400);
      expect(read.problem).toContain(problem);
    }
  });
});
