import { headerOf, readRow, rowFormatOf, splitRow } from "../content/table/rows.js";
import type { Content } from "../types/content.js";
import { BYTES_BETWEEN_PAUSES, pause } from "../../util/pause.js";

type Body = Pick<Content, "body">;
type Table = Pick<Content, "body" | "kind" | "literalQuotes">;

/** Parsed at once: V8 makes what a longer text holds in memory that is collected late. */
const BATCH_BYTES = 65_536;
/** Longest record that is parsed: parsing is one block, and takes longest where all keys are different. */
export const MAX_RECORD_CHARACTERS = 524_288;
const LINE_FEED = 0x0a;
const QUOTE = 0x22;
/** No other number in an object or a list loses digits, overflows or underflows when it is parsed. */
const MAY_BE_INEXACT = /[:,[\s](-?(?:[\d.]{16}|[\d.]{1,15}[eE][-+]?\d{3})[\d.eE+-]*)/g;
/** The closing quote may be missing, so that no string is looked at twice. */
const TOKEN = /"[^"\\]*(?:\\[^][^"\\]*)*"?|-?\d[\d.eE+-]*/g;
/** A longer number is taken for one that cannot be kept. */
const MAX_DIGITS = 400;
/** What stands for a number that cannot be kept; they are parsed to infinities. */
const INEXACT_INTEGER = "-1e999";
const INEXACT_NUMBER = "1e999";

/**
 * What turns the text of a record into its value: JSON, or an object of strings for rows. An integer that cannot be kept
 * exactly is minus infinity, another such number infinity. A text that is no JSON gives `undefined`.
 */
export function recordParser(content: Content): (text: string) => unknown {
  if (content.layout === "rows") {
    const { names } = headerOf(content);
    const split = cellSplitter(content);
    return (text) => {
      const cells = split(text);
      return Object.fromEntries(names.map((name, index) => [name, cells[index] ?? ""]));
    };
  }
  const parse = content.records?.numbersAreShort === true ? JSON.parse : parseExactly;
  return (text) => {
    try {
      return parse(text);
    } catch {
      return undefined;
    }
  };
}

/** What splits a row of a table into the texts of its cells. */
export function cellSplitter(content: Content): (text: string) => readonly string[] {
  const format = rowFormatOf(content);
  return (text) => splitRow(text, format);
}

/** Whether some quote may open a cell. */
export function mayHaveQuotedCells(content: Table): boolean {
  return rowFormatOf(content).hasQuotes && bytesOf(content).includes(QUOTE);
}

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
    const text = bytes.toString("utf8", start, end);
    const values = end - start > BATCH_BYTES ? parsed(text) : batchOf(text, isSafe);
    for (const value of values) take(value);
  });
}

/** The same for the cells of all rows of a table in which no quote opens a cell. */
export async function forEachRow(
  content: Table,
  count: number,
  take: (cells: readonly string[]) => void,
): Promise<void> {
  const bytes = bytesOf(content);
  const format = rowFormatOf(content);
  const delimiter = String.fromCharCode(format.delimiter);
  let rest = count;
  await forEachBatch(bytes, readRow(bytes, 0, format)?.next ?? 0, (start, end) => {
    for (const line of bytes.toString("utf8", start, end).split("\n")) {
      // Rows have two cells or more; blank lines may stand below them.
      if (rest === 0 || line === "") continue;
      rest -= 1;
      take((line.endsWith("\r") ? line.slice(0, -1) : line).split(delimiter));
    }
  });
}

function bytesOf({ body }: Body): Buffer {
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
function batchOf(text: string, isSafe: boolean): readonly unknown[] {
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

function parsed(text: string): readonly unknown[] {
  if (text === "" || text.length > MAX_RECORD_CHARACTERS) return [];
  try {
    return [parseExactly(text)];
  } catch {
    return [];
  }
}

/** A number that cannot be kept exactly is infinite. @throws SyntaxError for what is no JSON. */
export function parseExactly(text: string): unknown {
  return JSON.parse(isExact(text) ? text : text.replaceAll(TOKEN, exactToken));
}

/** Whether no number of an object or a list is another one when it is parsed; strings may hold what looks like one. */
function isExact(text: string): boolean {
  if (!text.startsWith("[") && !text.startsWith("{")) return false;
  for (const [, token = ""] of text.matchAll(MAY_BE_INEXACT)) {
    if (exactToken(token) !== token) return false;
  }
  return true;
}

function exactToken(token: string): string {
  if (token.startsWith('"')) return token;
  const value = Number(token);
  const written = String(value);
  if (written === token || Number.isNaN(value)) return token;
  if (token.length <= MAX_DIGITS && decimalOf(token) === decimalOf(written)) return token;
  return /^-?\d+$/.test(token) ? INEXACT_INTEGER : INEXACT_NUMBER;
}

/** One way to write each number: its digits without zeros at the ends, and where the point is. */
function decimalOf(literal: string): string {
  const [mantissa = "", exponent = "0"] = literal.toLowerCase().split("e");
  const [whole = "", fraction = ""] = mantissa.replace(/^-/, "").split(".");
  const digits = (whole + fraction).replace(/^0+/, "");
  let length = digits.length;
  while (digits[length - 1] === "0") length -= 1;
  const significant = digits.slice(0, length);
  if (significant === "") return "0";
  const sign = literal.startsWith("-") ? "-" : "";
  const power = Number(exponent) - fraction.length + digits.length - significant.length;
  return `${sign}${significant}e${power}`;
}
