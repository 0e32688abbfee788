import type { Content } from "../../types/content.js";
import { BYTES_BETWEEN_PAUSES, pause } from "../../../util/pause.js";
import { NOTHING } from "../../../util/text-encoding.js";
import {
  createRecordOffsets,
  createRecordReader,
  noteRecord,
  sampledRecords,
} from "../record-offsets.js";
import { createSpreadSample } from "../stream/spool.js";
import {
  cellsOf,
  createRowCutter,
  isBlank,
  readRow,
  type Row,
  rowFormatOf,
  textOf,
} from "./rows.js";

type TableContent = Pick<Content, "kind" | "records" | "literalQuotes">;

const DIALECTS = [
  { kind: "tsv" },
  { kind: "tsv", literalQuotes: true },
  { kind: "csv" },
] as const satisfies readonly Pick<Content, "kind" | "literalQuotes">[];

const MIN_ROWS = 3;
/** Blank lines after the last row. */
const MAX_BLANK_BYTES = 1 << 20;
const MAX_SAMPLED_ROWS = 2_000;
const MAX_SAMPLED_BYTES = 4_194_304;

/** `undefined` if the bytes are neither CSV nor TSV. */
export async function identifyRows(bytes: Buffer): Promise<TableContent | undefined> {
  for (const dialect of DIALECTS) {
    const offsets = createRecordOffsets();
    const table = createTableReader(dialect, (index, { start }) => {
      noteRecord(offsets, index, start);
    });
    await table.take(bytes, true);
    if (!table.isTable()) continue;
    const count = table.count();
    const at = createRecordReader(
      bytes,
      count,
      offsets,
      (offset) => readRow(bytes, offset, table.format) ?? { end: bytes.length, next: bytes.length },
    );
    return { ...dialect, records: { count, path: [], envelope: undefined, at } };
  }
  return undefined;
}

interface RowCheck {
  /** Returns whether it may still be a table. The block may be overwritten. */
  take(block: Buffer): Promise<boolean>;
  /**
   * `unfinishedBytes` belong to an unfinished last row.
   *
   * @param isComplete - If `false`, text after the last line end is no row. Default `true`.
   */
  end(isComplete?: boolean): Promise<(TableContent & { unfinishedBytes: number }) | undefined>;
}

export function createRowCheck(): RowCheck {
  const tables = DIALECTS.map((dialect) => {
    const sample = createSpreadSample<string>(MAX_SAMPLED_ROWS, MAX_SAMPLED_BYTES);
    const table = createTableReader(dialect, (index, row) => {
      if (sample.wants(index)) sample.add(index, textOf(row), row.end - row.start);
    });
    return { dialect, sample, table };
  });
  return {
    async take(block) {
      for (const { table } of tables) await table.take(block, false);
      return tables.some(({ table }) => !table.isNone());
    },
    async end(isComplete = true) {
      for (const { dialect, sample, table } of tables) {
        if (isComplete) await table.take(NOTHING, true);
        if (!table.isTable()) continue;
        const records = sampledRecords(sample.items(), table.count());
        return { ...dialect, records, unfinishedBytes: table.restBytes() };
      }
      return undefined;
    },
  };
}

function createTableReader(
  dialect: (typeof DIALECTS)[number],
  onRecord: (index: number, row: Row) => void,
) {
  const format = rowFormatOf(dialect);
  const cutter = createRowCutter(format);
  let columns: number | undefined;
  let firstName = NOTHING;
  let judge: ReturnType<typeof createHeaderJudge> | undefined;
  let count = 0;
  let blankBytes = 0;
  let isNone = false;

  function takeRow(row: Row) {
    if (columns === undefined) {
      columns = row.starts.length;
      if (columns < 2) return false;
      const header = cellsOf(row, format);
      if (!canBeHeader(header)) return false;
      judge = createHeaderJudge(header);
      if (header[0]) firstName = Buffer.from(firstOf(row));
      return true;
    }
    if (row.starts.length !== columns || blankBytes > 0) {
      blankBytes += row.next - row.start;
      return isBlank(row) && blankBytes <= MAX_BLANK_BYTES;
    }
    count += 1;
    // Of tables one behind the other. The first byte tells most rows from it without a view of them.
    const isLike = row.bytes[row.start] === firstName[0] && firstOf(row).equals(firstName);
    if (isLike && judge?.isHeader(cellsOf(row, format))) return false;
    if (judge?.isSure() === false) {
      judge.take(cellsOf(row, format));
      if (judge.isSure() && !judge.isTable()) return false;
    }
    onRecord(count - 1, row);
    return true;
  }

  return {
    format,
    async take(block: Buffer, isLast: boolean): Promise<void> {
      if (isNone) return;
      let bytesSincePause = 0;
      cutter.feed(block, isLast);
      for (let row = cutter.next(); row !== undefined; row = cutter.next()) {
        isNone = !takeRow(row);
        if (isNone) return;
        bytesSincePause += row.next - row.start;
        if (bytesSincePause < BYTES_BETWEEN_PAUSES) continue;
        await pause();
        bytesSincePause = 0;
      }
      isNone = cutter.isBroken();
    },
    count: () => count,
    isNone: () => isNone,
    isTable: () => !isNone && count >= MIN_ROWS - 1 && judge?.isTable() === true,
    restBytes: () => cutter.restBytes(),
  };
}

function firstOf({ bytes, start, starts }: Row): Buffer {
  return bytes.subarray(start, starts[1]);
}

const MAX_NAME_CHARACTERS = 200;
const MAX_JUDGED_ROWS = 1_000;
const MAX_JUDGED_COLUMNS = 200;
const MAX_JUDGED_CELLS = 50_000;
const VALUE_SHARE = 0.8;

/** Such as a call, an assignment, half of a pair of brackets, or a time. */
const NO_NAME = /[{};=]|^[^([]*[)\]]|[([][^)\]]{0,100}$|\d:\d\d|\d{4}-\d\d-\d\d/;
const NO_FIRST_NAME = /^(?:[-+]?\d|[ \t]+\S|[-*+\u2022] |[>|<])/;
/** Numbers and dates; booleans; addresses, paths and hashes. */
const VALUES: readonly RegExp[] = [
  /^(?:[-+]?[.,]?\d[\d.,]*(?:e[-+]?\d{1,4})?%?|\d{1,4}[-/.:]\d\S*(?: \S+)?)$/i,
  /^(?:true|false|yes|no)$/i,
  /^(?:[^\s/]*\/\S*|[^\s@]{1,60}@[^\s@]{1,60}|(?=[a-f]{0,70}\d)[\da-f-]{7,64})$/i,
];

/** Whether a first row can be column names: short, distinct, one with a letter first. Only the first may be empty. */
function canBeHeader(cells: readonly string[]): boolean {
  const names = cells.map((cell) => cell.trim());
  if (new Set(names).size !== names.length || names.lastIndexOf("") > 0) return false;
  if (NO_FIRST_NAME.test(cells[0] ?? "")) return false;
  if (names.some((name) => name.length > MAX_NAME_CHARACTERS || NO_NAME.test(name))) return false;
  const words = names.filter((name) => name !== "" && Number.isNaN(Number(name)));
  return words.length === 0 || words.some((name) => /^[\p{L}_#@$]/u.test(name));
}

/**
 * Judges by the first 1,000 rows. A column of values of one kind, such as numbers or dates, speaks for a header, but
 * not if its name is of that kind too, unless such names count up. Otherwise, names that recur in their columns, or
 * spaces after most delimiters, speak against it.
 */
function createHeaderJudge(header: readonly string[]) {
  const columns = header.slice(0, MAX_JUDGED_COLUMNS).map((cell) => {
    const name = cell.trim();
    return { name, kind: kindOf(name), kinds: VALUES.map(() => 0), filled: 0, copies: 0 };
  });
  const maxRows = Math.min(MAX_JUDGED_ROWS, Math.ceil(MAX_JUDGED_CELLS / columns.length));
  let rows = 0;
  let spaced = isSpaced(header) ? 1 : 0;

  return {
    take(cells: readonly string[]): void {
      rows += 1;
      if (isSpaced(cells)) spaced += 1;
      for (const [index, column] of columns.entries()) {
        const value = (cells[index] ?? "").trim();
        if (value === "") continue;
        column.filled += 1;
        if (value === column.name) column.copies += 1;
        const kind = kindOf(value);
        if (kind >= 0) column.kinds[kind] = (column.kinds[kind] ?? 0) + 1;
      }
    },
    isHeader: (cells: readonly string[]) =>
      columns.every(({ kind }, at) => kindOf((cells[at] ?? "").trim()) === kind),
    isSure: () => rows >= maxRows,
    isTable(): boolean {
      const [first] = columns;
      // Lines indented by a tab.
      if (first === undefined || (first.name === "" && first.filled === 0)) return false;
      const ofValues = columns
        .map((column) => ({
          ...column,
          values: column.kinds.findIndex((n) => n > 0 && n >= VALUE_SHARE * column.filled),
        }))
        .filter(({ values }) => values >= 0);
      const named = ofValues
        .filter(({ values, kind }) => values === kind)
        .map(({ name }) => Number(name));
      const countUp = named.length > 1 && named.every((name, at) => name === Number(named[0]) + at);
      if (named.length > 0 && !countUp && named.length * 2 >= ofValues.length) return false;
      // A first row of other paths may have no slash.
      if (ofValues.some(({ values, kind }) => values !== kind && values < 2)) return true;
      return spaced * 2 <= rows && !columns.some(({ copies }) => copies > 1);
    },
  };
}

/** -1 for none. */
function kindOf(text: string): number {
  return text.length > MAX_NAME_CHARACTERS ? -1 : VALUES.findIndex((pattern) => pattern.test(text));
}

function isSpaced(cells: readonly string[]): boolean {
  const others = cells.slice(1).filter((cell) => cell !== "");
  return others.length > 0 && others.every((cell) => cell.startsWith(" "));
}
