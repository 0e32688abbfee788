import fc from "fast-check";
import { expect, it } from "vitest";

import { identifyContent } from "../../../../../src/core/content/identify.js";
import { type DocumentSet, documentSets } from "../../../../../src/core/types/content.js";
import { plantedDocuments, valueAt } from "./arbitrary-documents.js";

const decoder = new TextDecoder();

function recordsOf(set: DocumentSet): unknown[] {
  return Array.from({ length: set.count }, (_, index): unknown => JSON.parse(set.at(index)));
}

it("several sets of a document are the document itself, each record on the line that is told and in reach by its place; every array of objects of 1 KiB or more is among them, and what is in no set is in the envelope", async () => {
  let seen = 0;
  await fc.assert(
    fc.asyncProperty(plantedDocuments, async ({ text, sets: planted, rest }) => {
      const value: unknown = JSON.parse(text);
      const content = await identifyContent(text);
      const sets = documentSets(content);
      if (sets === undefined) return;
      seen += 1;
      const body = decoder.decode(content.body);
      expect(JSON.parse(body)).toEqual(value);
      const lines = body.split("\n");
      expect(content.lineCount).toBe(lines.length - 1);
      for (const set of sets) {
        const there = valueAt(value, set.path);
        const isMap = set.isMap === true;
        const wanted = isMap
          ? Object.entries(Object(there)).map(([key, member]) => ({ key, value: member }))
          : there;
        expect(recordsOf(set)).toEqual(wanted);
        const { firstLine = 0, start = 0, end = 0 } = set.lines ?? {};
        const shown = lines.slice(firstLine - 1, firstLine - 1 + set.count).join("\n");
        expect(decoder.decode(content.body.subarray(start, end))).toBe(`${shown}\n`);
        expect(JSON.parse(isMap ? `{${shown}}` : `[${shown}]`)).toEqual(there);
      }
      expect(new Set(sets.map(({ table }) => table.toLowerCase())).size).toBe(sets.length);
      const found = sets.map(({ path }) => path.join("\n"));
      const around: unknown = JSON.parse(sets[0]?.envelope ?? "null");
      for (const path of rest.filter((one) => !found.includes(one.join("\n"))))
        expect(valueAt(around, path)).toEqual(valueAt(value, path));
      for (const { path, isMap } of planted) {
        const size = JSON.stringify(valueAt(value, path)).length;
        // The objects around it may be one set of like objects.
        const isInside = found.some((other) => `${path.join("\n")}\n`.startsWith(`${other}\n`));
        if (size >= 1_024 && !isMap) expect(isInside).toBe(true);
      }
    }),
    { numRuns: 120 },
  );
  expect(seen).toBeGreaterThan(24);
});
