import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { type Bodies, createBodies } from "../../src/inspect/data/body.js";
import type { BodyLine } from "../../src/inspect/wire.js";
import { contractArtifact } from "../../src/testing/store-contract/contract-artifact.js";
import type { StoredArtifact } from "../../src/core/types/artifact.js";

const ID = "any";

function bodyOf(bytes: Uint8Array, more: Partial<StoredArtifact> = {}): Bodies {
  const lineCount = Buffer.from(bytes).toString("latin1").split("\n").length;
  const given = { headerBytes: 0, layout: "text", lineCount } as const;
  const artifact: StoredArtifact = { ...contractArtifact(bytes.length), ...given, ...more };
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
async function pipeline(body: Bodies, limit: number): Promise<BodyLine[]> {
  const all: BodyLine[] = [];
  for (;;) {
    const { rows } = await body(ID, { from: all.length, limit });
    if (rows.length === 0) return all;
    all.push(...rows);
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
    const { rows } = await body(ID, { from: 0, limit: 100 });
    expect([rows.length, rows[0]?.cut]).toEqual([1, true]);
    expect(rows[0]?.text).toMatch(/^\{"first":"é+$/);
    expect(Buffer.byteLength(rows[0]?.text ?? "")).toBeLessThanOrEqual(262_144);
    const second = await body(ID, { from: 1, limit: 100 });
    expect(second.rows).toEqual([{ text: '{"second":1}' }]);
  });

  it("are the records of a layout, without what stands before and after them", async () => {
    const more = { layout: "records", headerBytes: 12, recordCount: 2 } as const;
    const body = bodyOf(Buffer.from('{"header":1}\n1,\n2\n]\n'), more);
    const [first, second] = [{ text: "1," }, { text: "2" }];
    expect(await body(ID, { from: 0, limit: 9 })).toEqual({
      total: 2,
      from: 0,
      rows: [first, second],
    });
    expect((await body(ID, { from: 1, limit: 1 })).rows).toEqual([second]);
  });
});
