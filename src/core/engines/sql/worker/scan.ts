import { isUtf8 } from "node:buffer";

import { type ByteReader, readLineBlocks } from "../../readers/byte-reader.js";
import { mendEscapes } from "../../readers/record-readers.js";
import {
  RECORD_COLUMN,
  type FileColumn,
  sqlColumns,
  type SqlKind,
  type SqlPlace,
} from "../../../profile/sql/columns.js";

export interface ScannedRecords {
  readonly columns: readonly FileColumn[];
  readonly longestBytes: number;
  readonly isClean: boolean;
}

interface ScanOptions {
  readonly maxLineBytes: number;
  readonly cells: boolean;
  readonly write?: ((lines: string) => void) | undefined;
}

interface Place extends SqlPlace {
  readonly kinds: Set<SqlKind>;
  scale: number;
  fields: Map<string, Place> | undefined;
  items: Place | undefined;
}

const LINES_AT_ONCE = 128;
const MAX_COLUMNS = 1_000;
const MAX_FIELDS = 100;
const MAX_DEPTH = 5;
const MAX_PLACES = 5_000;

const NUMERAL = /^-?(?:0|[1-9]\d{0,30})(\.\d{1,30})?$/;
const PLAIN = /^-?(\d{1,15})(?:\.(\d{1,15}))?$/;
const SURE_DIGITS = 15;
/** Of up to 127 bits, and in strings as well: nothing is lost where an integer is taken to be long. */
const LONG_INTEGER = /(?:^|[[,:\s-])\d{16,39}(?=[,\]}\s]|$)/;
const BIGINT_END = 2 ** 63;
const HUGEINT_END = 2 ** 127;
/** Of UTF-8 for one UTF-16 code unit. */
const MAX_BYTES = 3;
const QUOTE = 0x22;
const COLON = 0x3a;
const BACKSLASH = 0x5c;

/**
 * Looks at every record for the columns of the table. Blank lines are none.
 *
 * @throws LineTooLongError at a line of more than `maxLineBytes`, SyntaxError at one that is no JSON, and Error where an
 * object has a key twice, of which DuckDB takes the first and everybody else the last.
 */
export function scanRecords(source: ByteReader, options: ScanOptions): ScannedRecords {
  const budget = { places: MAX_PLACES };
  const root = createPlace(budget);
  let longestBytes = 0;
  let isClean = true;
  for (const block of readLineBlocks(source, options.maxLineBytes)) {
    const came = block.toString("utf8");
    let areLong: boolean | undefined;
    const isLong = (): boolean => (areLong ??= LONG_INTEGER.test(came));
    const at = { budget, depth: 0, cells: options.cells, areLong: isLong };
    const lines = came.split("\n").filter((line) => line.trim() !== "");
    for (const line of lines) {
      if (line.length * MAX_BYTES > longestBytes)
        longestBytes = Math.max(longestBytes, Buffer.byteLength(line));
    }
    const keys = lookAtAll(root, lines, at);
    if (countMembers(block) !== keys)
      throw new Error("SQL cannot read an object that has a key twice. Use jq.");
    // DuckDB takes an escaped half of a surrogate pair for the end of all JSON.
    const mended = mendEscapes(came);
    isClean &&= mended === came && isUtf8(block);
    options.write?.(mended.endsWith("\n") ? mended : `${mended}\n`);
  }
  const columns = sqlColumns(root);
  return { columns: options.cells ? columns.map(columnOfCells) : columns, longestBytes, isClean };
}

function lookAtAll(place: Place, texts: readonly string[], at: Look): number {
  let keys = 0;
  for (let from = 0; from < texts.length; from += LINES_AT_ONCE) {
    for (const value of parsed(texts.slice(from, from + LINES_AT_ONCE))) {
      keys += countKeys(value);
      look(place, value, at);
    }
  }
  return keys;
}

function parsed(lines: readonly string[]): readonly unknown[] {
  try {
    const values: readonly unknown[] = JSON.parse(`[${lines.join(",")}]`);
    if (values.length === lines.length) return values;
  } catch {
    // The line that is no JSON tells so itself.
  }
  return lines.map((line): unknown => JSON.parse(line));
}

function columnOfCells(column: FileColumn): FileColumn {
  const isText = column.type === "JSON" && column !== RECORD_COLUMN;
  return isText ? { ...column, type: "VARCHAR", readAs: "VARCHAR" } : column;
}

function countMembers(json: Uint8Array): number {
  let count = 0;
  let inString = false;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === QUOTE) inString = !inString;
    else if (byte === COLON) count += inString ? 0 : 1;
    else if (byte === BACKSLASH) at += 1;
  }
  return count;
}

function countKeys(value: unknown): number {
  let count = 0;
  const left = [value];
  while (left.length > 0) {
    const next = left.pop();
    if (typeof next !== "object" || next === null) continue;
    const members: readonly unknown[] = Object.values(next);
    if (!Array.isArray(next)) count += members.length;
    for (const member of members) if (typeof member === "object") left.push(member);
  }
  return count;
}

function createPlace(budget: { places: number }): Place {
  budget.places -= 1;
  return { kinds: new Set(), scale: 0, fields: new Map(), items: undefined };
}

interface Look {
  readonly budget: { places: number };
  readonly depth: number;
  readonly cells: boolean;
  readonly areLong: () => boolean;
}

function look(place: Place, value: unknown, at: Look): void {
  if (value === null) return;
  const kind = kindOf(value, at);
  if (kind === undefined) return;
  // One cell that is text makes text of its column.
  if (at.cells && kind === "string") place.kinds.clear();
  if (!at.cells || !place.kinds.has("string")) place.kinds.add(kind);
  if (kind === "number" && place.scale !== Infinity)
    place.scale = Math.max(place.scale, scaleOf(value));
  if (Array.isArray(value)) lookAtItems(place, value, at);
  else if (isObject(value)) lookAtFields(place, value, at);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function kindOf(value: unknown, { cells, areLong }: Look): SqlKind | undefined {
  if (typeof value === "string") return cells ? kindOfCell(value) : "string";
  if (typeof value === "number") return kindOfNumber(value, areLong);
  if (typeof value === "boolean") return "boolean";
  return Array.isArray(value) ? "array" : "object";
}

function kindOfCell(cell: string): SqlKind | undefined {
  if (cell === "") return undefined;
  const numeral = NUMERAL.exec(cell);
  if (numeral === null) return "string";
  return numeral[1] === undefined ? kindOfNumber(Number(cell), () => true) : "number";
}

function lookAtItems(place: Place, values: readonly unknown[], at: Look): void {
  if (at.depth >= MAX_DEPTH || (place.items === undefined && at.budget.places <= 0)) return;
  place.items ??= createPlace(at.budget);
  const inside = { ...at, depth: at.depth + 1 };
  for (const value of values) look(place.items, value, inside);
}

function lookAtFields(place: Place, value: Readonly<Record<string, unknown>>, at: Look): void {
  const maxFields = at.depth === 0 ? MAX_COLUMNS : MAX_FIELDS;
  if (at.depth >= MAX_DEPTH) place.fields = undefined;
  const inside = { ...at, depth: at.depth + 1 };
  for (const key of Object.keys(value)) {
    if (place.fields === undefined) return;
    let field = place.fields.get(key);
    if (field === undefined) {
      if (place.fields.size >= maxFields || at.budget.places <= 0) {
        place.fields = undefined;
        return;
      }
      field = createPlace(at.budget);
      place.fields.set(key, field);
    }
    look(field, value[key], inside);
  }
}

/**
 * What a number takes in a table.
 *
 * @param areLong - Whether integers stand there with all their digits: others are doubles, such as `6.02e23`.
 */
function kindOfNumber(value: number, areLong: () => boolean): SqlKind {
  if (Number.isSafeInteger(value)) return "integer";
  const isLong = Number.isInteger(value) && Math.abs(value) < HUGEINT_END && areLong();
  if (!isLong) return "number";
  return Math.abs(value) < BIGINT_END ? "wide" : "huge";
}

function scaleOf(value: unknown): number {
  const [, whole = "", fraction = ""] = PLAIN.exec(String(value)) ?? [];
  const digits = whole.length + fraction.length;
  return digits > 0 && digits <= SURE_DIGITS ? fraction.length : Infinity;
}
