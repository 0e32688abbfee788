import type { Content } from "../../types/content.js";
import { BYTES_BETWEEN_PAUSES, pause } from "../../../util/pause.js";
import {
  createRecordOffsets,
  createRecordReader,
  noteRecord,
  sampledRecords,
} from "../record-offsets.js";
import { createSpreadSample } from "../stream/spool.js";
import { canBeHeader, createHeaderJudge, type HeaderJudge } from "./header-judge.js";
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
const NOTHING = Buffer.alloc(0);

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
    const at = createRecordReader(bytes, count, offsets, (offset) => {
      const row = readRow(bytes, offset, table.format);
      return row ?? { end: bytes.length, next: bytes.length };
    });
    return { ...dialect, records: { count, path: [], envelope: undefined, at } };
  }
  return undefined;
}

export interface RowCheck {
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
  let judge: HeaderJudge | undefined;
  let count = 0;
  let blankBytes = 0;
  let isNone = false;

  function takeRow(row: Row): boolean {
    if (columns === undefined) {
      columns = row.starts.length;
      const header = columns < 2 ? [] : cellsOf(row, format);
      if (columns < 2 || !canBeHeader(header)) return false;
      judge = createHeaderJudge(header);
      return true;
    }
    if (row.starts.length !== columns || blankBytes > 0) {
      blankBytes += row.next - row.start;
      return isBlank(row) && blankBytes <= MAX_BLANK_BYTES;
    }
    count += 1;
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
