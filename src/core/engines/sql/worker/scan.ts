import { isUtf8 } from "node:buffer";

import { isRecord, type JsonObject } from "../../../../util/is-record.js";
import { BACKSLASH, QUOTE } from "../../../content/json/json-text.js";
import { type ByteReader, readLineBlocks } from "../../readers/byte-reader.js";
import { mendEscapes } from "../../readers/record-readers.js";
import { NUMERAL } from "../../../profile/note.js";
import {
  MAX_COLUMNS,
  RECORD_COLUMN,
  type SqlColumn,
  sqlColumns,
  type SqlKind,
  type SqlPlace,
} from "../../../profile/sql/columns.js";

export interface ScannedRecords {
  readonly columns: readonly SqlColumn[];
  /** No line has more. */
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
  readonly spellings: Map<number, string>;
  fields: Map<string, Place> | undefined;
  items: Place | undefined;
}

const MAX_FIELDS = 100;
const MAX_DEPTH = 12;
const MAX_PLACES = 5_000;
const MAX_SPELLINGS = 1_000;

/** At most 127 bits, in strings as well: being too inclusive loses nothing. */
const LONG_INTEGER = /(?:^|[[,:\s-])\d{16,39}(?=[,\]}\s]|$)/;
const BIGINT_END = 2 ** 63;
const HUGEINT_END = 2 ** 127;
const COLON = 0x3a;

/**
 * Closes the source.
 *
 * @throws LineTooLongError, and SyntaxError for invalid JSON.
 */
export function scanRecords(
  source: ByteReader,
  { maxLineBytes, cells, write }: ScanOptions,
): ScannedRecords {
  const look = createLook(cells);
  let longestBytes = 0;
  let isClean = true;
  try {
    for (const block of readLineBlocks(source, maxLineBytes)) {
      longestBytes = Math.max(longestBytes, block.length);
      const text = block.toString("utf8");
      const values = parsed(text);
      look.at(values, text);
      const hasTwice = !cells && hasKeyTwice(text, values);
      // DuckDB stops at an escaped lone surrogate.
      const mended = mendEscapes(hasTwice ? withLastMembers(text) : text);
      isClean &&= mended === text && isUtf8(block);
      write?.(mended.endsWith("\n") ? mended : `${mended}\n`);
    }
  } finally {
    source.close();
  }
  const columns = sqlColumns(look.root);
  return { columns: cells ? columns.map(columnOfCells) : columns, longestBytes, isClean };
}

function parsed(text: string): readonly unknown[] {
  const lines = text.trim().split("\n");
  try {
    const values: readonly unknown[] = JSON.parse(`[${lines.join(",")}]`);
    if (values.length === lines.length) return values;
  } catch {
    // The line that is no JSON tells so itself.
  }
  return lines.filter((line) => line.trim() !== "").map((line): unknown => JSON.parse(line));
}

/** Written anew, an object has each key once. */
function hasKeyTwice(json: string, value: unknown): boolean {
  return membersIn(json) !== membersIn(JSON.stringify(value));
}

function membersIn(json: string): number {
  let count = 0;
  let inString = false;
  for (let at = 0; at < json.length; at += 1) {
    const unit = json.charCodeAt(at);
    if (unit === QUOTE) inString = !inString;
    else if (unit === COLON) count += inString ? 0 : 1;
    else if (unit === BACKSLASH) at += 1;
  }
  return count;
}

/** Of a key that an object has twice, DuckDB would take the first value or none, and jq takes the last. */
function withLastMembers(block: string): string {
  const lines = block.split("\n").map((line) => {
    const value: unknown = line.trim() === "" ? null : JSON.parse(line);
    return hasKeyTwice(line, value) ? lastMembersOf(line) : line;
  });
  return lines.join("\n");
}

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"?|[-\d][^\s,\]}]*/g;

/** Numbers become texts meanwhile, because doubles would change some. */
function lastMembersOf(line: string): string {
  const marked = line.replaceAll(TOKEN, (token) =>
    token.startsWith('"') ? `"t${token.slice(1)}` : `"n${token}"`,
  );
  return JSON.stringify(JSON.parse(marked)).replaceAll(TOKEN, (token) =>
    token.startsWith('"n') ? token.slice(2, -1) : `"${token.slice(2)}`,
  );
}

function columnOfCells(column: SqlColumn): SqlColumn {
  const isText = column.type === "JSON" && column !== RECORD_COLUMN;
  return isText ? { ...column, type: "VARCHAR" } : column;
}

/** Notes the kinds of all values, by their places. */
function createLook(cells: boolean) {
  let placesLeft = MAX_PLACES;
  let json = "";
  let areLong: boolean | undefined;
  const root = createPlace();
  // Written in full, and not as 1e20, which is a double.
  const isLong = () => (areLong ??= LONG_INTEGER.test(json));

  function createPlace(): Place {
    placesLeft -= 1;
    return {
      kinds: new Set(),
      spellings: new Map(),
      fields: new Map(),
      items: undefined,
    };
  }

  function look(place: Place, value: unknown, depth: number) {
    const kind = value === null ? undefined : kindOf(value, place);
    if (kind === undefined) return;
    // One text cell makes the column text.
    if (cells && kind === "string") place.kinds.clear();
    if (!cells || !place.kinds.has("string")) place.kinds.add(kind);
    if (Array.isArray(value)) lookAtItems(place, value, depth);
    else if (isRecord(value)) lookAtFields(place, value, depth);
  }

  function kindOf(value: unknown, { spellings }: Place): SqlKind | undefined {
    if (typeof value === "string") return cells ? kindOfCell(value, spellings) : "string";
    if (typeof value === "number") return kindOfNumber(value, isLong);
    if (typeof value === "boolean") return "boolean";
    return Array.isArray(value) ? "array" : "object";
  }

  function lookAtItems(place: Place, values: readonly unknown[], depth: number) {
    if (depth >= MAX_DEPTH || (place.items === undefined && placesLeft <= 0)) return;
    const items = (place.items ??= createPlace());
    for (const value of values) look(items, value, depth + 1);
  }

  function lookAtFields(place: Place, value: JsonObject, depth: number) {
    const maxFields = depth === 0 ? MAX_COLUMNS : MAX_FIELDS;
    if (depth >= MAX_DEPTH) place.fields = undefined;
    for (const [name, member] of Object.entries(value)) {
      let field = place.fields?.get(name);
      if (field === undefined && place.fields !== undefined) {
        if (place.fields.size >= maxFields || placesLeft <= 0) place.fields = undefined;
        else place.fields.set(name, (field = createPlace()));
      }
      if (field !== undefined) look(field, member, depth + 1);
    }
  }

  return {
    root,
    at(values: readonly unknown[], text: string): void {
      json = text;
      areLong = undefined;
      for (const value of values) look(root, value, 0);
    },
  };
}

function kindOfCell(cell: string, spellings: Map<number, string>): SqlKind | undefined {
  if (cell === "") return undefined;
  const numeral = NUMERAL.exec(cell);
  if (numeral === null) return "string";
  const [, fraction, exponent] = numeral;
  const number = Number(cell);
  if (fraction === undefined && exponent === undefined) return kindOfNumber(number, () => true);
  return isSpelledOtherwise(number, cell, spellings) ? "string" : "number";
}

/** Whether a text is a number that another text has been too, such as 3.1 and 3.10. */
function isSpelledOtherwise(number: number, text: string, known: Map<number, string>): boolean {
  const first = known.get(number);
  if (first === undefined && known.size < MAX_SPELLINGS) known.set(number, text);
  return first !== undefined && first !== text;
}

/** @param areLong - Whether integers are written in full; otherwise they are doubles. */
function kindOfNumber(value: number, areLong: () => boolean): SqlKind {
  if (Number.isSafeInteger(value)) return "integer";
  const isLong = Number.isInteger(value) && Math.abs(value) < HUGEINT_END && areLong();
  if (!isLong) return "number";
  return Math.abs(value) < BIGINT_END ? "wide" : "huge";
}
