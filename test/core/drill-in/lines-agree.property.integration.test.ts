import * as fc from "fast-check";
import { expect, it } from "vitest";

import { scan } from "../../../src/core/engines/grep/scan.js";
import { createLineIndex } from "../../../src/core/drill-in/line-index.js";
import { decodeText } from "../../../src/util/text-encoding.js";
import { cellOf } from "./unescape-text.js";
import { engines, tableOf } from "./sql-tables.js";
import { createTestStore } from "./stored-outputs.js";
import { JOB } from "../engines/grep/plain-job.js";

const MAX_OUTPUT_BYTES = 10_000_000;
/** jq reads so many bytes at once. */
const JQ_READ_BYTES = 4095;

/** The bytes of a stored text. */
type Body = Uint8Array;

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
const text = fc.array(piece, { minLength: 1, maxLength: 40 }).map((parts) => parts.join(""));

const half = fc.constantFrom("\ud83d", "\ude00", "\udfff\ud800");
const brokenText = fc
  .array(fc.oneof(piece, half), { minLength: 1, maxLength: 40 })
  .map((parts) => parts.join(""));

const bytes = fc.uint8Array({ minLength: 1, maxLength: 60 });

/** UTF-8, and bytes that are none. */
const body: fc.Arbitrary<Body> = fc.oneof(
  fc.oneof(text, brokenText).map((given) => Buffer.from(given)),
  bytes,
);

function seenByGrep(bytes: Body): readonly Line[] {
  const reply = scan({
    ...JOB,
    source: { bytes },
    pattern: "",
    maxOutputBytes: MAX_OUTPUT_BYTES,
    maxLineCharacters: MAX_OUTPUT_BYTES,
    maxLineBytes: MAX_OUTPUT_BYTES,
  });
  if (reply.unreadable !== undefined) throw new Error(reply.unreadable);
  return reply.lines.map(({ lineNumber, text }) => ({
    number: lineNumber,
    text,
  }));
}

/** As `read` pages through it; its line ends are part of the lines. */
async function seenByRead(bytes: Body): Promise<readonly Line[]> {
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

async function seenByJq(bytes: Body): Promise<readonly Line[]> {
  const result = await engines().jq.run({
    source: { bytes },
    layout: "text",
    filter: "{number: input_line_number, text: .}",
    maxOutputBytes: MAX_OUTPUT_BYTES,
  });
  expect(result).toMatchObject({ error: undefined, truncated: false });
  return result.output === "" ? [] : JSON.parse(`[${result.output.replaceAll("\n", ",")}]`);
}

async function seenBySql(bodies: readonly Body[]): Promise<readonly (readonly Line[])[]> {
  const tables = bodies.map((bytes, index) =>
    tableOf(bytes, { name: `t${index}`, layout: "text" }),
  );
  const seen: (readonly Line[])[] = [];
  for (const { name } of tables) {
    // DuckDB's client takes a byte order mark off the beginning of a value.
    const query = `SELECT line, '>' || text FROM ${name} ORDER BY line`;
    const request = { tables, query, maxOutputBytes: MAX_OUTPUT_BYTES };
    const result = await engines().sql.run(request, undefined);
    expect(result).toMatchObject({ error: undefined, timedOut: false });
    seen.push(
      result.rows.map((row) => {
        const [, number, text = ""] = /^(\d+) \| >([\s\S]*)$/.exec(row) ?? [];
        return { number: Number(number), text: cellOf(text) };
      }),
    );
  }
  return seen;
}

/** The tables of a batch are loaded together: a child of SQL costs more than the rest. */
const BATCHES = 2;
const BATCH_SIZE = 12;

it("numbers and texts of lines are the same for read, grep, jq and SQL", async () => {
  const texts = fc.array(body, { minLength: BATCH_SIZE, maxLength: BATCH_SIZE });
  await fc.assert(
    fc.asyncProperty(texts, async (batch) => {
      const inSql = await seenBySql(batch);
      for (const [index, one] of batch.entries()) {
        const lines = await seenByRead(one);
        expect(seenByGrep(one)).toEqual(lines);
        expect(await seenByJq(one)).toEqual(lines);
        expect(inSql[index]).toEqual(lines);
      }
    }),
    { numRuns: BATCHES, endOnFailure: true },
  );
}, 600_000);
