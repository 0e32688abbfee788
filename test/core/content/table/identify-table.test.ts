import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { oneSet } from "../../../../src/core/types/content.js";
import { identifyContent } from "../../../../src/core/content/identify.js";
import { decodeText } from "../../../../src/util/text-encoding.js";

describe("identifying CSV and TSV", () => {
  it("gives the rows of any table back", async () => {
    const cell = fc.oneof(
      fc.string({ maxLength: 5 }).map((text) => `"${text.replaceAll('"', '""')}"`),
      fc.constantFrom("", "1", "a b", "é", '"a,\n\t""b"'),
    );
    const table = fc
      .integer({ min: 2, max: 5 })
      .chain((width) =>
        fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 2 }),
      );
    const form = fc.record({
      delimiter: fc.constantFrom(",", "\t"),
      end: fc.constantFrom("\n", "\r\n"),
      last: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(table, form, async (cells, { delimiter, end, last }) => {
        const names = ["id", ...(cells[0] ?? []).map((_, column) => `name ${column}`)];
        const header = names.join(delimiter);
        const rows = cells.map((row, id) => [id, ...row].join(delimiter));
        const text = [header, ...rows].join(end) + (last ? end : "");
        const content = await identifyContent(text);
        expect(content.kind).toBe(delimiter === "," ? "csv" : "tsv");
        expect(oneSet(content)?.count).toBe(rows.length);
        expect(rows.map((_, index) => content.records?.at(index))).toEqual(rows);
        expect(decodeText(content.body)).toBe(text);
      }),
      { numRuns: 300 },
    );
  });
});
