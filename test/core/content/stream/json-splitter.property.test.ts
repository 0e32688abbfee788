import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  createJsonSplitter,
  type SplitItems,
} from "../../../../src/core/content/stream/json-splitter.js";
import { identifyContent } from "../../../../src/core/content/identify.js";
import { arrayOf, jsonTokens, spacing } from "../arbitrary-json.js";

/** The lines of a text that comes in blocks of one buffer; `undefined` when it is no such list. */
async function inBlocks(
  form: SplitItems,
  bytes: Buffer,
  cuts: readonly number[],
  isComplete = true,
): Promise<string | undefined> {
  const splitter = createJsonSplitter(form);
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length];
  const sorted = places.toSorted((one, other) => one - other);
  const reused = Buffer.alloc(bytes.length);
  const lines: Buffer[] = [];
  for (const [index, start] of sorted.entries()) {
    const block = bytes.subarray(start, sorted[index + 1] ?? bytes.length);
    reused.set(block);
    lines.push(Buffer.from(splitter.take(reused.subarray(0, block.length)) ?? []));
  }
  const last = splitter.end(isComplete);
  const all = Buffer.concat([...lines, last?.lines ?? Buffer.alloc(0)]).toString();
  return last !== undefined && all.split("\n").length > last.least ? all : undefined;
}

async function asWhole(text: string, kind: string): Promise<string | undefined> {
  const content = await identifyContent(text);
  return content.kind === kind ? Buffer.from(content.body).toString() : undefined;
}

const cuts = fc.array(fc.nat(500), { maxLength: 12 });

describe("a text in blocks", () => {
  const array = fc
    .tuple(fc.array(jsonTokens, { minLength: 1, maxLength: 8 }), spacing)
    .map(([all, write]) => write(arrayOf(all)));
  const documents = fc
    .array(fc.tuple(jsonTokens, spacing), { minLength: 2, maxLength: 8 })
    .map((all) => all.map(([item, write]) => write(arrayOf([item]))).join("\n"));

  it.each([
    ["elements", "json-array", array],
    ["documents", "json-lines", documents],
  ] as const)(
    "is split into %s as it is as a whole, wherever it is cut",
    async (form, kind, texts) => {
      await fc.assert(
        fc.asyncProperty(texts, cuts, async (text, at) => {
          const whole = await asWhole(text, kind);
          expect(whole).toBeDefined();
          expect(await inBlocks(form, Buffer.from(text), at)).toBe(whole);
        }),
        { numRuns: 300 },
      );
    },
  );

  it("gives the elements that came whole when it was stopped", async () => {
    const items = fc.array(jsonTokens, { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(items, cuts, fc.nat({ max: 8 }), fc.nat(), async (all, at, whole, cut) => {
        const elements = all.map((item) => item.join(""));
        const before = elements.slice(0, whole).map((element) => `${element},`);
        const next = `${elements[whole] ?? ""},`;
        const text = `[${before.join("")}${next.slice(0, cut % next.length)}`;
        const expected =
          before.length > 1 ? before.join("\n").replaceAll(/,(\n|$)/g, "\n") : undefined;
        expect(await inBlocks("elements", Buffer.from(text), at, false)).toBe(expected);
      }),
      { numRuns: 300 },
    );
  });

  it("is none when anything of it is wrong, as it is as a whole", async () => {
    const piece = fc.constantFrom(" ", ...'[ ] , { } "a": "b" 1 [1] {} "\\ -'.split(" "));
    const soup = fc.array(piece, { maxLength: 10 }).map((all) => `[${all.join("")}]`);
    await fc.assert(
      fc.asyncProperty(soup, cuts, async (text, at) => {
        // An empty list is found out by who has read all of it.
        const whole = (await asWhole(text, "json-array")) || undefined;
        expect(await inBlocks("elements", Buffer.from(text), at)).toBe(whole);
      }),
      { numRuns: 1_000 },
    );
  });
});
