import { isUtf8 } from "node:buffer";

import type { ByteReader } from "./byte-reader.js";
import { readLineBlocks } from "./line-blocks.js";
import { sqlColumns, type SqlColumn, type SqlKind, type SqlPlace } from "./sql-columns.js";

/** What one look at all records has found. */
export interface ScannedRecords {
  readonly columns: readonly SqlColumn[];
  /** Of the longest record. */
  readonly longestBytes: number;
  /** Whether DuckDB can read the lines as they are. */
  readonly isClean: boolean;
}

/** What is done with the lines beside looking at them. */
interface ScanOptions {
  readonly maxLineBytes: number;
  /** Strings that read as numbers count as numbers, and empty ones as none: cells of CSV. */
  readonly cells: boolean;
  /** Takes the lines, mended, with their line ends. */
  readonly write?: ((lines: string) => void) | undefined;
}

interface Place extends SqlPlace {
  readonly kinds: Set<SqlKind>;
  fields: Map<string, Place> | undefined;
  items: Place | undefined;
}

const MAX_COLUMNS = 1_000;
/** Fields of one nested object; one with more is a map, and JSON. */
const MAX_FIELDS = 100;
const MAX_DEPTH = 5;
/** Places together. */
const MAX_PLACES = 5_000;

const NUMERAL = /^-?(?:0|[1-9]\d{0,30})(\.\d{1,30})?$/;
/** Of UTF-8 for one UTF-16 code unit. */
const MAX_BYTES = 3;
const BIGINT_END = 2 ** 63;
const HUGEINT_END = 2 ** 127;

/** Escapes, those of a whole surrogate pair as one. */
const ESCAPES = /\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[\da-fA-F]{4}|.)/g;
const LONE = /^\\u[dD][89a-fA-F][\da-fA-F]{2}$/;

/**
 * Looks at every record for the columns of the table. Blank lines are none.
 *
 * @throws LineTooLongError at a line of more than `maxLineBytes`, and SyntaxError at one that is no JSON.
 */
export function scanRecords(source: ByteReader, options: ScanOptions): ScannedRecords {
  const budget = { places: MAX_PLACES };
  const root = createPlace(budget);
  let longestBytes = 0;
  let isClean = true;
  for (const block of readLineBlocks(source, options.maxLineBytes)) {
    const text = block.toString("utf8");
    const mended = mendEscapes(text);
    isClean &&= mended === text && isUtf8(block);
    for (const line of text.split("\n")) {
      if (line.trim() === "") continue;
      if (line.length * MAX_BYTES > longestBytes)
        longestBytes = Math.max(longestBytes, Buffer.byteLength(line));
      look(root, JSON.parse(line), { budget, depth: 0, cells: options.cells });
    }
    options.write?.(mended.endsWith("\n") ? mended : `${mended}\n`);
  }
  return { columns: sqlColumns(root), longestBytes, isClean };
}

/** DuckDB takes an escaped half of a surrogate pair for the end of all JSON. */
function mendEscapes(text: string): string {
  if (!text.includes("\\ud") && !text.includes("\\uD")) return text;
  return text.replaceAll(ESCAPES, (escape) => (LONE.test(escape) ? "\\ufffd" : escape));
}

function createPlace(budget: { places: number }): Place {
  budget.places -= 1;
  return { kinds: new Set(), fields: new Map(), items: undefined };
}

interface Look {
  readonly budget: { places: number };
  readonly depth: number;
  readonly cells: boolean;
}

function look(place: Place, value: unknown, at: Look): void {
  if (value === null) return;
  const kind = kindOf(value, at.cells);
  if (kind === undefined) return;
  // One cell that is text makes text of its column.
  if (at.cells && kind === "string") place.kinds.clear();
  if (!at.cells || !place.kinds.has("string")) place.kinds.add(kind);
  if (Array.isArray(value)) lookAtItems(place, value, at);
  else if (isObject(value)) lookAtFields(place, value, at);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function kindOf(value: unknown, cells: boolean): SqlKind | undefined {
  if (typeof value === "string") return cells ? kindOfCell(value) : "string";
  if (typeof value === "number") return kindOfNumber(value);
  if (typeof value === "boolean") return "boolean";
  return Array.isArray(value) ? "array" : "object";
}

function kindOfNumber(value: number): SqlKind {
  if (!Number.isInteger(value) || Math.abs(value) >= HUGEINT_END) return "number";
  return Math.abs(value) < BIGINT_END ? "integer" : "huge";
}

function kindOfCell(cell: string): SqlKind | undefined {
  if (cell === "") return undefined;
  const numeral = NUMERAL.exec(cell);
  if (numeral === null) return "string";
  return numeral[1] === undefined ? kindOfNumber(Number(cell)) : "number";
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
