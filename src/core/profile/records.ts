import { listOf } from "../../util/as-kind.js";
import { asBuffer, LINE_FEED, withoutReturn } from "../../util/text-encoding.js";
import { QUOTE } from "../content/json/json-text.js";
import { parseExactly } from "../content/json/parse-exactly.js";
import {
  cellsOf,
  createRowCutter,
  headerOf,
  isBlank,
  readRow,
  type RowFormat,
  rowFormatOf,
  splitRow,
} from "../content/table/rows.js";
import { type Content, oneSet } from "../types/content.js";

const BATCH_BYTES = 16_384;
export const MAX_RECORD_CHARACTERS = 524_288;

/**
 * Parses records: JSON, or an object of strings for rows. An integer that may be inexact becomes minus infinity, another
 * such number infinity.
 *
 * The parser throws SyntaxError for invalid JSON, which no stored record is.
 */
export function recordParser(content: Content): (text: string) => unknown {
  if (content.layout === "rows") {
    const { names } = headerOf(content);
    const format = rowFormatOf(content);
    return (text) => {
      const cells = splitRow(text, format);
      return Object.fromEntries(names.map((name, index) => [name, cells[index] ?? ""]));
    };
  }
  return parserOf(content);
}

/**
 * Batches of all records that are on their own lines, or of table rows. Too long records are skipped.
 * `undefined` for records that may span lines.
 */
export function recordBatches(content: Content): Iterable<readonly unknown[]> | undefined {
  const { layout } = content;
  const bytes = asBuffer(content.body);
  const parse = parserOf(content);
  if (layout === "records")
    return batches(bytes, 0, (text) =>
      text.length > MAX_RECORD_CHARACTERS
        ? []
        : listOf(parse(`[${text.trimEnd().replaceAll("\n", ",")}]`)),
    );
  const format = rowFormatOf(content);
  if (layout !== "rows") return undefined;
  const from = readRow(bytes, 0, format)?.next ?? 0;
  if (format.hasQuotes && bytes.includes(QUOTE)) return rowBatches(bytes, from, format);
  const delimiter = String.fromCharCode(format.delimiter);
  return batches(bytes, from, (text) =>
    text.split("\n").flatMap((line) => {
      const row = withoutReturn(line);
      return row === "" ? [] : [row.split(delimiter)];
    }),
  );
}

function* rowBatches(
  bytes: Buffer,
  from: number,
  format: RowFormat,
): Generator<readonly (readonly string[])[]> {
  let rows: string[][] = [];
  let batchEnd = BATCH_BYTES;
  const cutter = createRowCutter(format);
  cutter.feed(bytes.subarray(from), true);
  for (let row = cutter.next(); row !== undefined; row = cutter.next()) {
    if (!isBlank(row)) rows.push(cellsOf(row, format));
    if (row.next < batchEnd) continue;
    yield rows;
    rows = [];
    batchEnd = row.next + BATCH_BYTES;
  }
  yield rows;
}

function* batches(
  bytes: Buffer,
  from: number,
  read: (text: string) => readonly unknown[],
): Generator<readonly unknown[]> {
  for (let at = from; at < bytes.length;) {
    const last = bytes.lastIndexOf(LINE_FEED, at + BATCH_BYTES - 1);
    const next = last >= at ? last : bytes.indexOf(LINE_FEED, at);
    const isRest = bytes.length - at <= BATCH_BYTES || next === -1;
    const end = isRest ? bytes.length : next + 1;
    yield read(bytes.toString("utf8", at, end));
    at = end;
  }
}

function parserOf(content: Content): (json: string) => unknown {
  return oneSet(content)?.numbersAreShort ? JSON.parse : parseExactly;
}
