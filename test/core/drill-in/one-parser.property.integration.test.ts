import * as fc from "fast-check";
import { expect, it } from "vitest";

import { isOneValue } from "../../../src/core/content/as-value.js";
import { jqPath } from "../../../src/core/content/json/sets/set-names.js";
import { recordParser } from "../../../src/core/profile/records.js";
import { readAs } from "../../../src/core/engines/data-source.js";
import type { JqRequest } from "../../../src/core/engines/jq/engine.js";
import type { SqlResult, SqlTable } from "../../../src/core/engines/sql/request.js";
import { type FileFormat, layOutText } from "../../../src/core/store/lay-out.js";
import { type Content, oneSet } from "../../../src/core/types/content.js";
import { scan } from "../../../src/core/engines/grep/scan.js";
import { createLineIndex } from "../../../src/core/drill-in/line-index.js";
import { decodeText } from "../../../src/util/text-encoding.js";
import { createTestStore } from "./stored-outputs.js";
import { JOB } from "../engines/grep/plain-search.js";
import { jsonLinesText, jsonText, tableText } from "./record-texts.js";
import { cellOf } from "./unescape-text.js";
import { engines, tableOf } from "./sql-tables.js";

const MAX_OUTPUT_BYTES = 10_000_000;

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

async function jqValues(asked: Omit<JqRequest, "maxOutputBytes">): Promise<unknown[]> {
  const result = await engines().jq.run({ ...asked, maxOutputBytes: MAX_OUTPUT_BYTES });
  expect(result).toMatchObject({ error: undefined, truncated: false });
  return JSON.parse(`[${result.output.trimEnd().replaceAll("\n", ",")}]`);
}

async function seenByJq(content: Content): Promise<unknown[]> {
  const path = jqPath(oneSet(content)?.path ?? []);
  const each = content.kind === "json-map" ? "to_entries[]" : ".[]";
  return await jqValues({
    source: { bytes: content.body },
    ...readAs(content),
    filter: isOneValue(content) ? `${path} | ${each}` : ".",
  });
}

function tableFor(content: Content, name: string): SqlTable {
  const { layout, rowFormat } = readAs(content);
  if (layout === "text") throw new Error("no table");
  return tableOf(content.body, { name, layout, rowFormat });
}

async function sqlResult(tables: readonly SqlTable[], query: string): Promise<SqlResult> {
  const asked = { tables, query, maxOutputBytes: MAX_OUTPUT_BYTES };
  const result = await engines().sql.run(asked, undefined);
  expect(result).toMatchObject({ error: undefined, timedOut: false });
  return result;
}

async function seenBySql(tables: readonly SqlTable[], name: string): Promise<unknown[]> {
  const result = await sqlResult(tables, `SELECT to_json(t)::VARCHAR FROM ${name} t`);
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

/** Their tables are loaded together: a child of SQL costs more than the rest. */
const BATCH_SIZE = 5;

// C3, D6
it.each([
  ["tables in any dialect", tableText, "lro"],
  ["JSON, its records on lines", jsonText, "lro"],
  ["JSON as it came", jsonText, "original"],
  ["JSON lines", jsonLinesText, "lro"],
  ["JSON lines as they came", jsonLinesText, "original"],
  ["JSON lines kept as lines", jsonLinesText, "json-lines"],
] as const)(
  "the records that the descriptor counts are those that jq and SQL see, value for value: %s",
  async (_, text, encode) => {
    let sets = 0;
    const texts = fc.array(text, { minLength: BATCH_SIZE, maxLength: BATCH_SIZE });
    await fc.assert(
      fc.asyncProperty(texts, async (batch) => {
        sets += await readersAgree(batch, encode);
      }),
      { numRuns: 1, endOnFailure: true },
    );
    // Chance decides how many of the texts are sets.
    expect(sets).toBeGreaterThan(0);
  },
  600_000,
);

/** jq reads so many bytes at once. */
const JQ_READ_BYTES = 4095;

interface Line {
  readonly number: number;
  readonly text: string;
}

const longLine = fc
  .tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: -4, max: 1 }))
  .map(([times, more]) => "x".repeat(times * JQ_READ_BYTES + more));
const piece = fc.oneof(
  {
    weight: 20,
    arbitrary: fc.constantFrom("a", "é😀", " ", "\t", '"', "\\", "\\u0041", "\0", "|"),
  },
  { weight: 5, arbitrary: fc.constantFrom("\uFEFF", "\u2028", "\uFFFD", "\u001b[1m", "null", "{") },
  { weight: 12, arbitrary: fc.constantFrom("\n", "\r\n", "\r", "\n\n") },
  { weight: 1, arbitrary: longLine },
);
const half = fc.constantFrom("\ud83d", "\ude00", "\udfff\ud800");
const parts = fc.oneof({ weight: 9, arbitrary: piece }, { weight: 1, arbitrary: half });

/** UTF-8, and bytes that are none. */
const body: fc.Arbitrary<Uint8Array> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc
      .array(parts, { minLength: 1, maxLength: 40 })
      .map((all) => Buffer.from(all.join(""))),
  },
  { weight: 1, arbitrary: fc.uint8Array({ minLength: 1, maxLength: 60 }) },
);

function linesByGrep(bytes: Uint8Array): readonly Line[] {
  const reply = scan({
    ...JOB,
    source: { bytes },
    pattern: "",
    maxOutputBytes: MAX_OUTPUT_BYTES,
    maxLineCharacters: MAX_OUTPUT_BYTES,
    maxLineBytes: MAX_OUTPUT_BYTES,
  });
  if (reply.unreadable !== undefined) throw new Error(reply.unreadable);
  return reply.lines.map(({ lineNumber: number, text }) => ({ number, text }));
}

/** As `read` pages through it; its line ends are part of the lines. */
async function linesByRead(bytes: Uint8Array): Promise<readonly Line[]> {
  const store = createTestStore();
  const artifact = store.add("", { sizeBytes: bytes.length });
  const index = createLineIndex(
    { read: async (_, range) => bytes.slice(range?.start, range?.end) },
    artifact,
  );
  const lines: Line[] = [];
  for (let number = 1; ; number += 1) {
    const start = await index.lineStart(number);
    if (start === undefined) return lines;
    const end = (await index.lineStart(number + 1)) ?? bytes.length;
    const whole = decodeText(bytes.subarray(start, end));
    lines.push({ number, text: whole.replace(/\n$/, "").replace(/\r$/, "") });
  }
}

const linesByJq = async (bytes: Uint8Array): Promise<unknown[]> =>
  await jqValues({
    source: { bytes },
    layout: "text",
    filter: "{number: input_line_number, text: .}",
  });

async function linesBySql(bodies: readonly Uint8Array[]): Promise<readonly (readonly Line[])[]> {
  const tables = bodies.map((bytes, index) =>
    tableOf(bytes, { name: `t${index}`, layout: "text" }),
  );
  const seen: (readonly Line[])[] = [];
  for (const { name } of tables) {
    // DuckDB's client takes a byte order mark off the beginning of a value.
    const { rows } = await sqlResult(tables, `SELECT line, '>' || text FROM ${name} ORDER BY line`);
    seen.push(
      rows.map((row) => {
        const [, number, text = ""] = /^(\d+) \| >([\s\S]*)$/.exec(row) ?? [];
        return { number: Number(number), text: cellOf(text) };
      }),
    );
  }
  return seen;
}

it("numbers and texts of lines are the same for read, grep, jq and SQL", async () => {
  const texts = fc.array(body, { minLength: 12, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(texts, async (batch) => {
      const inSql = await linesBySql(batch);
      for (const [index, one] of batch.entries()) {
        const lines = await linesByRead(one);
        expect(linesByGrep(one)).toEqual(lines);
        expect(await linesByJq(one)).toEqual(lines);
        expect(inSql[index]).toEqual(lines);
      }
    }),
    { numRuns: 2, endOnFailure: true },
  );
}, 600_000);
