import type { Content } from "../types.js";
import { readRow, type Row, type RowFormat } from "./delimited-row.js";
import { BYTES_BETWEEN_PAUSES, pause } from "./pause.js";
import {
  createRecordOffsets,
  createRecordReader,
  noteRecord,
  type RecordOffsets,
} from "./record-offsets.js";

/** Rows of a table, its header included. */
export const MIN_ROWS = 3;
const MAX_HEADER_CELL_CHARACTERS = 100;
const TAB = 9;
const COMMA = 44;

/** Tabs are looked for first, as fields of TSV hold commas; quotes in TSV often mean nothing. */
export const ROW_FORMATS: readonly (RowFormat & { readonly kind: "csv" | "tsv" })[] = [
  { kind: "tsv", delimiter: TAB, hasQuotes: true },
  { kind: "tsv", delimiter: TAB, hasQuotes: false },
  { kind: "csv", delimiter: COMMA, hasQuotes: true },
];

/**
 * Finds rows of constant width under a header row; `undefined` when the bytes are no CSV and no TSV.
 * The records are the rows below the header, without their line ends.
 */
export async function identifyRows(
  bytes: Buffer,
): Promise<Pick<Content, "kind" | "records"> | undefined> {
  for (const format of ROW_FORMATS) {
    const table = await readTable(bytes, format);
    if (table === undefined) continue;
    const at = createRecordReader(bytes, table.count, table.offsets, (offset) => {
      const row = readRow(bytes, offset, format);
      return row ?? { end: bytes.length, next: bytes.length };
    });
    return {
      kind: format.kind,
      records: { count: table.count, path: [], envelope: undefined, at },
    };
  }
  return undefined;
}

async function readTable(
  bytes: Buffer,
  format: RowFormat,
): Promise<{ readonly count: number; readonly offsets: RecordOffsets } | undefined> {
  const header = readRow(bytes, 0, format);
  if (header === undefined || header.columns < 2 || !isHeader(bytes, header, format)) {
    return undefined;
  }
  const offsets = createRecordOffsets();
  let rows = 1;
  let at = header.next;
  let pauseAt = BYTES_BETWEEN_PAUSES;
  while (at < bytes.length) {
    const row = readRow(bytes, at, format);
    if (row === undefined) return undefined;
    if (row.columns !== header.columns) {
      if (!isBlankFrom(bytes, at)) return undefined;
      break;
    }
    noteRecord(offsets, rows - 1, at);
    rows += 1;
    at = row.next;
    if (at > pauseAt) {
      await pause();
      pauseAt = at + BYTES_BETWEEN_PAUSES;
    }
  }
  return rows < MIN_ROWS ? undefined : { count: rows - 1, offsets };
}

/** Only line ends may follow the last row, and not more of them than can be looked at in one go. */
function isBlankFrom(bytes: Buffer, start: number): boolean {
  if (bytes.length - start > BYTES_BETWEEN_PAUSES) return false;
  for (let at = start; at < bytes.length; at += 1) {
    if (bytes[at] !== 0x0a && bytes[at] !== 0x0d) return false;
  }
  return true;
}

/**
 * A header names its columns: short, different names, most of which begin with a letter. A log line
 * begins with a date, and prose and code have punctuation. Only the first name may be missing.
 */
export function isHeader(bytes: Buffer, header: Row, format: RowFormat): boolean {
  const names = header.starts.map((start, column) => {
    const next = header.starts[column + 1];
    const cell = bytes.toString("utf8", start, next === undefined ? header.end : next - 1).trim();
    return format.hasQuotes ? cell.replace(/^"([^]*)"$/, "$1").trim() : cell;
  });
  if (new Set(names).size !== names.length) return false;
  if (!names.every((name, column) => isName(name, column))) return false;
  if (/^[-+]?\d/.test(names[0] ?? "")) return false;
  const given = names.filter((name) => name !== "");
  return given.filter((name) => /^[\p{L}_#@$]/u.test(name)).length * 2 >= given.length;
}

function isName(name: string, column: number): boolean {
  if (name === "") return column === 0;
  return (
    name.length <= MAX_HEADER_CELL_CHARACTERS && !/[{};]|[.!?]$|\d:\d\d|\d{4}-\d\d-\d\d/.test(name)
  );
}
