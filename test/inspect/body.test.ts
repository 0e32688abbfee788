import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { type Bodies, createBodies } from "../../src/inspect/data/body.js";
import type { BodyLine } from "../../src/inspect/wire.js";
import { contractArtifact } from "../../src/testing/store-contract/contract-artifact.js";
import type { StoredArtifact } from "../../src/core/types/artifact.js";

const ID = "any";

function bodyOf(bytes: Uint8Array): Bodies {
  const artifact: StoredArtifact = {
    ...contractArtifact(bytes.length),
    headerBytes: 0,
  };
  return createBodies({
    store: {
      read: async (_, range) => bytes.subarray(range?.start ?? 0, range?.end ?? bytes.length),
    },
    find: async () => artifact,
  });
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
async function pipeline(body: Bodies, count: number): Promise<BodyLine[]> {
  const all: BodyLine[] = [];
  for (;;) {
    const { lines } = await body(ID, { line: all.length + 1, count });
    if (lines.length === 0) return all;
    all.push(...lines);
  }
}

describe("pages of a body", () => {
  it("give every line once, and split no character", async () => {
    await fc.assert(
      fc.asyncProperty(text, fc.integer({ min: 1, max: 7 }), async (whole, count) => {
        const lines = whole.replace(/\n$/, "").split("\n");
        const told = await pipeline(bodyOf(Buffer.from(whole)), count);
        expect(told.map((one) => one.text)).toEqual(
          whole === "" ? [] : lines.map((one) => one.replace(/\r$/, "")),
        );
      }),
      { numRuns: 200 },
    );
  });

  it("are bounded, also of ten megabytes on one line", async () => {
    const body = bodyOf(Buffer.from(`{"first":"${"é".repeat(5_000_000)}"}\n{"second":1}\n`));
    const { lines, firstLine } = await body(ID, { line: 1, count: 100 });
    expect([lines.length, lines[0]?.cut, firstLine]).toEqual([1, true, 1]);
    expect(lines[0]?.text).toMatch(/^\{"first":"é+$/);
    expect(Buffer.byteLength(lines[0]?.text ?? "")).toBeLessThanOrEqual(262_144);
    const second = await body(ID, { line: 2, count: 100 });
    expect(second.lines).toEqual([{ text: '{"second":1}' }]);
  });
});
