/** How rows are written: the byte between columns, and whether a quote can open a field. */
export interface RowFormat {
  readonly delimiter: number;
  readonly hasQuotes: boolean;
}

/** One row, in byte offsets. */
export interface Row {
  readonly columns: number;
  /** Where each column begins. */
  readonly starts: readonly number[];
  /** Offset after the row's text, before its line end. */
  readonly end: number;
  /** Offset of the next row. */
  readonly next: number;
}

/** A table with longer rows or more columns is taken for text: a row is read in one go. */
export const MAX_ROW_BYTES: number = 1 << 20;
const MAX_COLUMNS = 10_000;
const QUOTE = 0x22;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/**
 * Reads the row that begins at `start`. A quoted field may hold delimiters, line ends and doubled
 * quotes, and nothing may stand between its closing quote and the next delimiter.
 *
 * @returns `undefined` when a quoted field is malformed, or the row has over a megabyte or over
 * 10,000 columns.
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
    if (bytes[at - 1] === LINE_FEED) return rowUntil(bytes, starts, at - 1, at);
    if (starts.push(at) > MAX_COLUMNS) return undefined;
  }
  return at < bytes.length ? undefined : rowUntil(bytes, starts, at, at);
}

function rowUntil(bytes: Buffer, starts: readonly number[], lineEnd: number, next: number): Row {
  const hasReturn = lineEnd > (starts[0] ?? 0) && bytes[lineEnd - 1] === CARRIAGE_RETURN;
  return { columns: starts.length, starts, end: hasReturn ? lineEnd - 1 : lineEnd, next };
}

function endsField(bytes: Buffer, at: number, delimiter: number): boolean {
  const byte = bytes[at];
  if (byte === delimiter || byte === LINE_FEED) return true;
  const following = bytes[at + 1];
  return byte === CARRIAGE_RETURN && (following === LINE_FEED || following === undefined);
}

/** Offset after the quote that closes the field, or -1. */
function endOfQuoted(bytes: Buffer, open: number, limit: number): number {
  let at = open + 1;
  while (at < limit) {
    if (bytes[at] !== QUOTE) at += 1;
    else if (bytes[at + 1] === QUOTE) at += 2;
    else return at + 1;
  }
  return -1;
}
