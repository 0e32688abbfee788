import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { originalText, originalValue } from "../../../src/plugins/references/reference-value.js";
import { createOffloader, memoryStore, type OffloadOptions } from "../../../src/index.js";

/** What comes back of a value that was offloaded, whatever its size. */
async function backOf(value: unknown, options: OffloadOptions = {}): Promise<unknown> {
  const store = memoryStore();
  const threshold = { bytes: 1 };
  const offloader = createOffloader({ threshold, ...options, store, drillIn: false });
  const result = await offloader.offload({ toolName: "t", value, sessionId: "s" });
  if (result.outcome !== "offloaded") throw new Error(result.outcome);
  const bytes = await store.read(result.storedArtifact);
  await offloader.close();
  const { storedArtifact } = result;
  return await originalValue(storedArtifact, originalText(storedArtifact, bytes));
}

const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe("the value that comes back from a stored output", () => {
  const values = fc
    .jsonValue({ maxDepth: 3 })
    .filter((value) => typeof value === "object" && value !== null);
  const records = fc.array(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 1 })), {
    minLength: 1,
  });

  it.each(["lro", "json-lines", "original"] as const)(
    "is the one that the tool returned: %s",
    async (fileFormat) => {
      const shapes = fc.oneof(
        values,
        records,
        records.map((rows) => ({ rows, next: null })),
        records.map((rows) => ({ data: { items: rows, total: rows.length } })),
        fc.dictionary(fc.string(), fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 1 }))),
      );
      await fc.assert(
        fc.asyncProperty(shapes, async (value) => {
          expect(await backOf(value, { fileFormat })).toEqual(asJson(value));
        }),
      );
    },
  );

  it("keeps keys that a program could trip over", async () => {
    const rows = Array.from({ length: 30 }, (_, id) => ({ id, constructor: "c" }));
    for (const text of [
      `{"__proto__":${JSON.stringify(rows)},"a":1}`,
      `{"a":{"__proto__":{"id":1},"b":{"id":2},"c":{"id":3}}}`,
      `{"__proto__":{"id":1},"b":{"id":2},"c":{"id":3}}`,
      JSON.stringify([{ text: "line\nfeed\r\u2028\ud800" }, { text: "," }]),
    ])
      expect(await backOf(text)).toEqual(JSON.parse(text));
  });

  it("is the text of what is no JSON", async () => {
    const csv = "id,name\r\n1,Ada\r\n2,Grace\r\n3,Joan\r\n";
    for (const text of [csv, "just text\nwith 😀 lines\n", "a \ud800 b"]) {
      expect(await backOf(text)).toBe(text.toWellFormed());
    }
  });
});
