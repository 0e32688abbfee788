import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { createLineIndex } from "../../src/core/drill-in/line-index.js";
import { bodyPage, type PagedBody } from "../../src/inspect/data/body.js";
import type { BodyLine } from "../../src/inspect/wire.js";
import { contractArtifact } from "../../src/testing/store-contract/contract-artifact.js";
import type { StoredArtifact } from "../../src/core/types/artifact.js";

function bodyOf(bytes: Uint8Array): PagedBody {
  const artifact: StoredArtifact = {
    ...contractArtifact(bytes.length),
    headerBytes: 0,
  };
  const store: PagedBody["store"] = {
    read: async (_, range) => bytes.subarray(range?.start ?? 0, range?.end ?? bytes.length),
  };
  return { artifact, store, index: createLineIndex(store, artifact) };
}

const line = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 30 }).map((text) => text.replaceAll("\n", " ")),
  fc.constant(""),
  fc
    .constantFrom("é", "x", "日本")
    .chain((unit) => fc.integer({ min: 8000, max: 40_000 }).map((count) => unit.repeat(count))),
);
const text = fc
  .tuple(fc.array(line, { maxLength: 20 }), fc.boolean())
  .map(([lines, ends]) => lines.join("\n") + (ends ? "\n" : ""))
  // What stands for half a character is none of the data's own here.
  .map((whole) => whole.replaceAll("\uFFFD", "?"));

/** Goes from page to page and gives all of their lines. */
async function walk(body: PagedBody, count: number): Promise<BodyLine[]> {
  const all: BodyLine[] = [];
  for (let at: number | undefined = 0; at !== undefined;) {
    const page = await bodyPage(body, { byte: at, count });
    all.push(...page.lines);
    at = page.next;
  }
  return all;
}

describe("pages of a body", () => {
  it("give every byte once, and split no character", async () => {
    await fc.assert(
      fc.asyncProperty(text, fc.integer({ min: 1, max: 7 }), async (whole, count) => {
        const bytes = Buffer.from(whole);
        let at = 0;
        for (const one of await walk(bodyOf(bytes), count)) {
          expect(one.at).toBe(at);
          const own = bytes.toString("utf8", at, at + one.sizeBytes);
          expect(one.text).toBe(own.replace(/\r?\n$/, ""));
          expect(one.text).not.toContain("\uFFFD");
          at += one.sizeBytes;
        }
        expect(at).toBe(bytes.length);
      }),
      { numRuns: 200 },
    );
  });

  it("are bounded, also of ten megabytes on one line", async () => {
    const body = bodyOf(Buffer.from(`{"first":"${"x".repeat(10_000_000)}"}\n{"second":1}\n`));
    const { lines, firstLine, next } = await bodyPage(body, { line: 1, count: 100 });
    const sizes = lines.map(({ sizeBytes }) => sizeBytes);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(16_384);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(262_144);
    expect(firstLine).toBe(1);
    const on = await bodyPage(body, { byte: next ?? 0, count: 100 });
    expect([on.firstLine, on.lines[0]?.continued]).toEqual([1, true]);
    const second = await bodyPage(body, { line: 2, count: 100 });
    expect(second.lines.map((one) => one.text)).toEqual(['{"second":1}']);
  });

  it("know the number of their first line", async () => {
    const lines = Array.from({ length: 5000 }, (_, n) => `line ${n + 1} ${"x".repeat(n % 90)}`);
    const bytes = Buffer.from(lines.join("\n"));
    const body = bodyOf(bytes);
    for (const number of [1, 2, 777, 4999, 5000]) {
      const page = await bodyPage(body, { line: number, count: 3 });
      expect(page.firstLine).toBe(number);
      expect(page.lines.map((one) => one.text)).toEqual(lines.slice(number - 1, number + 2));
    }
    const past = await bodyPage(body, { line: 5001, count: 3 });
    expect(past.lines).toEqual([]);
  });
});
