import { headerStart, readRow, rowFormatOf } from "../content/table/rows.js";
import type { Content } from "../types/content.js";
import { BYTES_BETWEEN_PAUSES, pause } from "../../util/pause.js";
import { isExact, parseExactly } from "./exact-numbers.js";

/** Parsed at once: V8 makes what a longer text holds in memory that is collected late. */
const BATCH_BYTES = 65_536;
/** Longest record that is parsed: parsing is one block, and takes longest where all keys are different. */
export const MAX_RECORD_CHARACTERS = 524_288;
const LINE_FEED = 0x0a;
const QUOTE = 0x22;

/**
 * Hands over the values of all records of a body that has one a line, with turns for the event loop. Those that are no
 * JSON or too long are left out.
 */
export async function forEachRecord(
  content: Pick<Content, "body" | "records">,
  take: (value: unknown) => void,
): Promise<void> {
  const bytes = bytesOf(content);
  const isSafe = content.records?.numbersAreShort === true;
  await forEachBatch(bytes, 0, (start, end) => {
    const isLong = end - start > BATCH_BYTES;
    const values = isLong ? oneOf(bytes, start, end) : batchOf(bytes, start, end, isSafe);
    for (const value of values) take(value);
  });
}

/** The same for the cells of all rows of a table in which no quote opens a cell. */
export async function forEachRow(
  content: Pick<Content, "body" | "kind" | "literalQuotes">,
  count: number,
  take: (cells: readonly string[]) => void,
): Promise<void> {
  const bytes = bytesOf(content);
  const format = rowFormatOf(content);
  const delimiter = String.fromCharCode(format.delimiter);
  let rest = count;
  await forEachBatch(bytes, readRow(bytes, headerStart(bytes), format)?.next ?? 0, (start, end) => {
    for (const line of bytes.toString("utf8", start, end).split("\n")) {
      // Rows have two cells or more; blank lines may stand below them.
      if (rest === 0 || line === "") continue;
      rest -= 1;
      take((line.endsWith("\r") ? line.slice(0, -1) : line).split(delimiter));
    }
  });
}

/** Whether some quote may open a cell. */
export function mayHaveQuotedCells(
  content: Pick<Content, "body" | "kind" | "literalQuotes">,
): boolean {
  return rowFormatOf(content).hasQuotes && bytesOf(content).includes(QUOTE);
}

function bytesOf({ body }: Pick<Content, "body">): Buffer {
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength);
}

/** Whole lines, with turns for the event loop. */
async function forEachBatch(
  bytes: Buffer,
  from: number,
  take: (start: number, end: number) => void,
): Promise<void> {
  let pauseAt = BYTES_BETWEEN_PAUSES;
  for (let at = from; at < bytes.length;) {
    const end = endOfBatch(bytes, at);
    take(at, end);
    at = end;
    if (at < pauseAt) continue;
    pauseAt = at + BYTES_BETWEEN_PAUSES;
    await pause();
  }
}

/** After the last line that ends in a batch, or after the one that is longer. */
function endOfBatch(bytes: Buffer, start: number): number {
  if (bytes.length - start <= BATCH_BYTES) return bytes.length;
  const last = bytes.lastIndexOf(LINE_FEED, start + BATCH_BYTES - 1);
  if (last >= start) return last + 1;
  const next = bytes.indexOf(LINE_FEED, start);
  return next === -1 ? bytes.length : next + 1;
}

/** As the elements of one array. `isSafe` says that no number is another one when it is parsed. */
function batchOf(bytes: Buffer, start: number, end: number, isSafe: boolean): readonly unknown[] {
  const text = bytes.toString("utf8", start, end);
  try {
    // Behind the last line end stands nothing.
    const array = `[${text.slice(0, -1).replaceAll("\n", ",")}]`;
    if (text.endsWith("\n") && (isSafe || isExact(array))) {
      const values: readonly unknown[] = JSON.parse(array);
      return values;
    }
  } catch {
    // One by one, so that only those that are none are left out.
  }
  return text.split("\n").flatMap((line) => parsed(line));
}

function oneOf(bytes: Buffer, start: number, end: number): readonly unknown[] {
  return parsed(bytes.toString("utf8", start, end));
}

function parsed(text: string): readonly unknown[] {
  if (text === "" || text.length > MAX_RECORD_CHARACTERS) return [];
  try {
    return [parseExactly(text)];
  } catch {
    return [];
  }
}
