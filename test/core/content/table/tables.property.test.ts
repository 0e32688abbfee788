import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { identifyContent } from "../../../../src/core/content/identify.js";
import { createRowCheck, identifyRows } from "../../../../src/core/content/table/identify-table.js";
import { decodeText } from "../../../../src/util/text-encoding.js";
import { type Content, oneSet } from "../../../../src/core/types/content.js";
import { times } from "../../describe/samples.js";

type Table = Pick<Content, "kind" | "records"> | undefined;

/** What is found in a text that comes in blocks of one buffer, as a stream's do. */
async function inBlocks(text: string, cuts: readonly number[]): Promise<Table> {
  const bytes = Buffer.from(text);
  const check = createRowCheck();
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length];
  const sorted = places.toSorted((one, other) => one - other);
  const reused = Buffer.alloc(bytes.length);
  for (const [index, start] of sorted.entries()) {
    const block = bytes.subarray(start, sorted[index + 1] ?? bytes.length);
    reused.set(block);
    await check.take(reused.subarray(0, block.length));
  }
  return await check.end();
}

function rowsOf(table: Table): unknown {
  const { count = 0, at } = (table && oneSet(table)) ?? {};
  return { kind: table?.kind, rows: Array.from({ length: count }, (_, index) => at?.(index)) };
}

const cell = fc.constantFrom(
  ...'a|b||1|é|"q"|"x,y"|"two\nlines"|"""in"""|"|\ud83d\ude00'.split("|"),
);
const table = fc
  .tuple(fc.constantFrom(",", "\t"), fc.constantFrom("\n", "\r\n"), fc.constantFrom(1, 2, 3))
  .chain(([separator, lineEnd, columns]) => {
    const row = fc.array(cell, { minLength: columns, maxLength: columns });
    return fc
      .tuple(fc.array(row, { maxLength: 8 }), fc.constantFrom("", lineEnd, "\n\r\n\n", "\n\nx"))
      .map(([rows, end]) =>
        [["id", "name", "note"].slice(0, columns), ...rows]
          .map((cells) => cells.join(separator))
          .join(lineEnd)
          .concat(end),
      );
  });

describe("a text in blocks", () => {
  it("is the table that it is as a whole, wherever it is cut", async () => {
    let tables = 0;
    const cuts = fc.array(fc.nat(200), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(table, cuts, async (text, at) => {
        const whole = rowsOf(await identifyRows(Buffer.from(text)));
        if (JSON.stringify(whole).includes("sv")) tables += 1;
        expect(rowsOf(await inBlocks(text, at))).toEqual(whole);
      }),
      { numRuns: 400 },
    );
    expect(tables).toBeGreaterThan(30);
  });

  it("is no table when a row is longer than a megabyte or 10,000 columns, or blank lines are", async () => {
    const rows = "id,name\n1,a\n2,b\n";
    const long = `${rows}3,${"x".repeat(1 << 20)}\n4,d\n`;
    const open = `${rows}3,"${"x".repeat(1 << 20)}`;
    const blank = `${rows}${"\n".repeat((1 << 20) + 1)}`;
    const row = `${Array.from({ length: 10_001 }, (_, column) => `c${column}`).join(",")}\n`;
    for (const text of [long, open, blank, row.repeat(3)]) {
      expect(await identifyRows(Buffer.from(text))).toBeUndefined();
      expect(await inBlocks(text, [5, 100_000, 900_000, 1_048_000])).toBeUndefined();
    }
  });
});

it.each([
  ["No.,name,Qty.", "17,yes,30\n"],
  ["respondent,Do you smoke?,Age", "17,yes,30\n"],
  [",name,city", "A,Ann,Rome\n,Bob,Oslo\n"],
])("%s is a header", async (header, rows) => {
  const { kind } = await identifyContent(`${header}\n${rows.repeat(9)}`);
  expect(kind).toBe("csv");
});

const rows = (name: string) => `id,${name}\n${times(9, (id) => `${id},a`).join("\n")}\n`;
it.each([
  rows("name").repeat(2),
  rows("name") + rows("total"),
  `M\tCHANGES.md\n${"M\tsrc/a.ts\nA\tsrc/b.ts\n".repeat(9)}`,
])("%j is no table", async (text) => {
  expect((await identifyContent(text)).kind).toBe("text");
});

it("identifying CSV and TSV gives the rows of any table back", async () => {
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
