import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { isOneValue } from "../../../src/core/content/as-value.js";
import { jqPath } from "../../../src/core/content/json/sets/set-names.js";
import { recordParser } from "../../../src/core/profile/records.js";
import { readAs } from "../../../src/core/engines/data-source.js";
import type { SqlTable } from "../../../src/core/engines/sql/request.js";
import { type FileFormat, layOutText } from "../../../src/core/store/lay-out.js";
import { type Content, oneSet } from "../../../src/core/types/content.js";
import { jsonLinesText, jsonText, tableText } from "./record-texts.js";
import { cellOf } from "./unescape-text.js";
import { engines, tableOf } from "./sql-tables.js";

const MAX_OUTPUT_BYTES = 1_000_000;

/** What all readers agree on: members that are null are none, and a half of a pair is U+FFFD. */
function common(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (typeof value === "number") return value + 0;
  if (Array.isArray(value)) return value.map(common);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(
    members
      .map(([key, member]): [string, unknown] => [key.toWellFormed(), common(member)])
      .toSorted(([one], [other]) => (one < other ? -1 : 1)),
  );
}

/** Cells that are numerals may be numbers, and empty ones nothing. */
function cells(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, cell]) => {
      if (cell === null || cell === "") return [];
      return [
        [key, typeof cell === "string" && /^-?\d+(\.\d+)?$/.test(cell) ? Number(cell) : cell],
      ];
    }),
  );
}

function described(content: Content): unknown[] {
  const records = oneSet(content);
  const parse = recordParser(content);
  return Array.from({ length: records?.count ?? 0 }, (_, index) => parse(records?.at(index) ?? ""));
}

async function seenByJq(content: Content): Promise<unknown[]> {
  const path = jqPath(oneSet(content)?.path ?? []);
  const each = content.kind === "json-map" ? "to_entries[]" : ".[]";
  const result = await engines().jq.run({
    source: { bytes: content.body },
    ...readAs(content),
    filter: isOneValue(content) ? `${path} | ${each}` : ".",
    maxOutputBytes: MAX_OUTPUT_BYTES,
  });
  expect(result).toMatchObject({ error: undefined, truncated: false });
  return JSON.parse(`[${result.output.trimEnd().replaceAll("\n", ",")}]`);
}

function tableFor(content: Content, name: string): SqlTable {
  const { layout, rowFormat } = readAs(content);
  if (layout === "text") throw new Error("no table");
  return tableOf(content.body, { name, layout, rowFormat });
}

async function seenBySql(tables: readonly SqlTable[], name: string): Promise<unknown[]> {
  const query = `SELECT to_json(t)::VARCHAR FROM ${name} t`;
  const result = await engines().sql.run(
    { tables, query, maxOutputBytes: MAX_OUTPUT_BYTES },
    undefined,
  );
  expect(result).toMatchObject({ error: undefined, timedOut: false });
  const { columns = [] } = result.tables.find((table) => table.name === name) ?? {};
  return result.rows.map((row) => {
    const value: Record<string, unknown> = JSON.parse(cellOf(row));
    if (columns[0]?.name === "record" && columns[0].type === "JSON") return value["record"];
    return value;
  });
}

/** Lays texts out and compares what each reader sees of their records; gives how many had records. */
async function readersAgree(texts: readonly string[], encode: FileFormat): Promise<number> {
  const laidOut = await Promise.all(texts.map((text) => layOutText(text, encode)));
  const contents = laidOut
    .map(({ content }) => content)
    // A document of sets has a table for each of them, and tests of its own.
    .filter((content) => oneSet(content) !== undefined);
  const tables = contents.map((content, index) => tableFor(content, `t${index}`));
  for (const [index, content] of contents.entries()) {
    const inReach = described(content);
    const as = (values: readonly unknown[]): unknown[] =>
      values.map((value) => (content.layout === "rows" ? cells(common(value)) : common(value)));
    expect((await seenByJq(content)).map(common)).toEqual(inReach.map(common));
    expect(as(await seenBySql(tables, `t${index}`))).toEqual(as(inReach));
    expect(inReach).toHaveLength(oneSet(content)?.count ?? 0);
    if (content.layout === "records" && content.kind !== "json-lines") {
      const lines = Buffer.from(content.body).toString("utf8").trimEnd().split("\n");
      expect(lines.map((line) => common(JSON.parse(line)))).toEqual(inReach.map(common));
    }
  }
  return contents.length;
}

/** The tables of a batch are loaded together: a child of SQL costs more than the rest. */
const BATCHES = 1;
const BATCH_SIZE = 5;

// C3, D6
describe("the records that the descriptor counts are those that jq and SQL see, value for value", () => {
  it.each([
    ["tables in any dialect", tableText, "lro"],
    ["JSON, its records on lines", jsonText, "lro"],
    ["JSON as it came", jsonText, "original"],
    ["JSON lines", jsonLinesText, "lro"],
    ["JSON lines as they came", jsonLinesText, "original"],
    ["JSON lines kept as lines", jsonLinesText, "json-lines"],
  ] as const)(
    "of %s",
    async (_, text, encode) => {
      let sets = 0;
      const texts = fc.array(text, { minLength: BATCH_SIZE, maxLength: BATCH_SIZE });
      await fc.assert(
        fc.asyncProperty(texts, async (batch) => {
          sets += await readersAgree(batch, encode);
        }),
        { numRuns: BATCHES, endOnFailure: true },
      );
      // Chance decides how many of the texts are sets.
      expect(sets).toBeGreaterThan((BATCHES * BATCH_SIZE) / 15);
    },
    600_000,
  );
});
