import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { readersAgree } from "./readers-agree.js";
import { jsonLinesText, jsonText, tableText } from "./record-texts.js";

/** Texts whose tables are loaded together: a child of SQL costs more than the rest. */
const BATCH = 12;

// C3, D6
describe("the records that the descriptor counts are those that jq and SQL see, value for value", () => {
  it.each([
    ["tables in any dialect", tableText, "lro"],
    ["JSON, its records on lines", jsonText, "lro"],
    ["JSON as it came", jsonText, "as-came"],
    ["JSON lines", jsonLinesText, "lro"],
    ["JSON lines as they came", jsonLinesText, "as-came"],
    ["JSON lines kept as lines", jsonLinesText, "json-lines"],
  ] as const)(
    "of many %s",
    async (_, text, encode) => {
      let sets = 0;
      const texts = fc.array(text, { minLength: BATCH, maxLength: BATCH });
      await fc.assert(
        fc.asyncProperty(texts, async (batch) => {
          sets += await readersAgree(batch, encode);
        }),
        { numRuns: 20, endOnFailure: true },
      );
      expect(sets).toBeGreaterThan(BATCH / 3);
    },
    600_000,
  );
});
