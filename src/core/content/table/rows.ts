import type { Content } from "../../types/content.js";
import { asBuffer, LINE_FEED, NOTHING } from "../../../util/text-encoding.js";
import { COMMA, QUOTE } from "../json/json-text.js";

export interface RowFormat {
  readonly delimiter: number;
  readonly hasQuotes: boolean;
}

/** Offsets in `bytes`; `starts` are those of its cells. */
export interface Row {
  readonly bytes: Buffer;
  readonly start: number;
  readonly starts: readonly number[];
  readonly end: number;
  readonly next: number;
}

const TAB = 9;

export function rowFormatOf({
  kind,
  literalQuotes,
}: Pick<Content, "kind" | "literalQuotes">): RowFormat {
  return { delimiter: kind === "tsv" ? TAB : COMMA, hasQuotes: !literalQuotes };
}

/** As in RFC 4180. */
export const CSV_FORMAT: RowFormat = { delimiter: COMMA, hasQuotes: true };

const MAX_ROW_BYTES = 1 << 20;
const MAX_COLUMNS = 10_000;
const CARRIAGE_RETURN = 0x0d;

/**
 * A quoted field may contain delimiters, line ends and doubled quotes.
 *
 * @returns `undefined` for a malformed quoted field, or more than 1 MiB or 10,000 columns.
 */
export function readRow(bytes: Buffer, start: number, format: RowFormat): Row | undefined {
  const limit = Math.min(bytes.length, start + MAX_ROW_BYTES);
  const starts = [start];
  let at = start;
  while (at < limit) {
    if (format.hasQuotes && bytes[at] === QUOTE) {
      at = endOfQuoted(bytes, at, limit);
      const after = bytes[at];
      if (at === -1 || (after !== undefined && !endsField(bytes, at, format.delimiter))) {
        return undefined;
      }
    }
    while (at < limit && bytes[at] !== format.delimiter && bytes[at] !== LINE_FEED) at += 1;
    if (at >= limit) break;
    at += 1;
    if (bytes[at - 1] === LINE_FEED) return rowUntil(bytes, start, starts, at - 1, at);
    if (starts.push(at) > MAX_COLUMNS) return undefined;
  }
  return at < bytes.length ? undefined : rowUntil(bytes, start, starts, at, at);
}

function rowUntil(
  bytes: Buffer,
  start: number,
  starts: readonly number[],
  lineEnd: number,
  next: number,
): Row {
  const hasReturn = lineEnd > start && bytes[lineEnd - 1] === CARRIAGE_RETURN;
  return { bytes, start, starts, end: hasReturn ? lineEnd - 1 : lineEnd, next };
}

function endsField(bytes: Buffer, at: number, delimiter: number): boolean {
  const byte = bytes[at];
  if (byte === delimiter || byte === LINE_FEED) return true;
  const following = bytes[at + 1];
  return byte === CARRIAGE_RETURN && (following === LINE_FEED || following === undefined);
}

function endOfQuoted(bytes: Buffer, open: number, limit: number): number {
  let at = open + 1;
  while (at < limit) {
    if (bytes[at] !== QUOTE) at += 1;
    else if (bytes[at + 1] === QUOTE) at += 2;
    else return at + 1;
  }
  return -1;
}

export function cellsOf({ bytes, starts, end }: Row, format: RowFormat): string[] {
  return starts.map((start, column) => {
    const next = starts[column + 1];
    return cellBetween(bytes, start, next === undefined ? end : next - 1, format);
  });
}

function cellBetween(bytes: Buffer, start: number, end: number, { hasQuotes }: RowFormat): string {
  if (!hasQuotes || bytes[start] !== QUOTE || end === start)
    return bytes.toString("utf8", start, end);
  return bytes.toString("utf8", start + 1, end - 1).replaceAll('""', '"');
}

export function splitRow(text: string, format: RowFormat): string[] {
  // A return at the end of the text belongs to the last cell.
  const row = readRow(Buffer.from(`${text}\r\n`), 0, format);
  return row === undefined ? [] : cellsOf(row, format);
}

export function textOf({ bytes, start, end }: Row): string {
  return bytes.toString("utf8", start, end);
}

export function isBlank({ bytes, start, starts, end }: Row): boolean {
  return (
    starts.length === 1 && bytes.subarray(start, end).every((byte) => byte === CARRIAGE_RETURN)
  );
}

interface RowCutter {
  /** Only after `next` has returned all rows. The block may be overwritten. */
  feed(block: Buffer, isLast: boolean): void;
  /** `undefined` if the row needs more bytes or is malformed. */
  next(): Row | undefined;
  isBroken(): boolean;
  restBytes(): number;
}

const SCRATCH_BYTES = 65_536;
export function createRowCutter(format: RowFormat): RowCutter {
  // Reused, because buffers are collected late.
  let scratch = NOTHING;
  let restBytes = 0;
  let isBroken = false;
  let bytes = NOTHING;
  let at = 0;
  let isLast = false;

  function makeRoom(wanted: number) {
    if (wanted <= scratch.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(SCRATCH_BYTES, 2 * wanted));
    scratch.copy(larger, 0, 0, restBytes);
    scratch = larger;
  }

  function keepRest() {
    makeRoom(bytes.length - at);
    restBytes = bytes.copy(scratch, 0, at);
    at = bytes.length;
  }

  return {
    feed(block, ends) {
      [bytes, at, isLast] = [block, 0, ends];
      if (restBytes === 0) return;
      makeRoom(restBytes + block.length);
      scratch.set(block, restBytes);
      bytes = scratch.subarray(0, restBytes + block.length);
    },
    next() {
      if (isBroken || at >= bytes.length) return undefined;
      const row = readRow(bytes, at, format);
      // An unclosed quote looks malformed.
      isBroken = row === undefined && (isLast || bytes.length - at > MAX_ROW_BYTES);
      if (isBroken) scratch = NOTHING;
      else if (row === undefined || (!isLast && bytes[row.next - 1] !== LINE_FEED)) keepRest();
      else {
        at = row.next;
        if (at === bytes.length) restBytes = 0;
        return row;
      }
      return undefined;
    },
    isBroken: () => isBroken,
    restBytes: () => restBytes,
  };
}

/** An empty cell becomes `column_N`, from 1, with `_` appended until unique. */
export function columnNames(cells: readonly string[]): string[] {
  const taken = new Set(cells);
  return cells.map((cell, index) => {
    if (cell !== "") return cell;
    let name = `column_${index + 1}`;
    while (taken.has(name)) name += "_";
    taken.add(name);
    return name;
  });
}

export function headerOf(content: Pick<Content, "kind" | "body" | "literalQuotes">): {
  readonly text: string;
  readonly names: readonly string[];
} {
  const format = rowFormatOf(content);
  const row = readRow(asBuffer(content.body), 0, format);
  if (row === undefined) return { text: "", names: [] };
  return { text: textOf(row), names: columnNames(cellsOf(row, format)) };
}
