import type { Content, RecordSet } from "../types.js";
import { isHeader, MIN_ROWS, ROW_FORMATS } from "./delimited.js";
import { MAX_ROW_BYTES, readRow, type Row, type RowFormat } from "./delimited-row.js";
import { BYTES_BETWEEN_PAUSES, pause } from "./pause.js";
import { sampledRecords } from "./sampled-records.js";
import { createSpreadSample } from "./spread-sample.js";

/** Tells whether a text that comes in blocks is a table, as {@link identifyRows} tells of a whole one. */
export interface RowCheck {
  /** Looks at the next bytes, which may be overwritten afterwards; free once they were no table. */
  take(block: Buffer): Promise<void>;
  /** The table with a sample of its rows; `undefined` when there is none. */
  end(): Promise<Pick<Content, "kind" | "records"> | undefined>;
}

const MAX_SAMPLED_ROWS = 2_000;
const MAX_SAMPLED_BYTES = 4_194_304;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SCRATCH_BYTES = 65_536;
const NOTHING = Buffer.alloc(0);

/** Creates a check of a text of which nothing has come. Memory is that of the longest row and of the sample. */
export function createRowCheck(): RowCheck {
  const tables = ROW_FORMATS.map((format) => ({ kind: format.kind, table: readTable(format) }));
  return {
    async take(block) {
      for (const { table } of tables) await table.take(block, false);
    },
    async end() {
      for (const { kind, table } of tables) {
        await table.take(NOTHING, true);
        const records = table.records();
        if (records !== undefined) return { kind, records };
      }
      return undefined;
    },
  };
}

function readTable(format: RowFormat): {
  take(block: Buffer, isLast: boolean): Promise<void>;
  records(): RecordSet | undefined;
} {
  const sample = createSpreadSample<string>(MAX_SAMPLED_ROWS, MAX_SAMPLED_BYTES);
  /** After a row of another width only line ends may follow. */
  let state: "rows" | "blank" | "none" = "rows";
  let columns: number | undefined;
  let rows = 0;
  let blankBytes = 0;
  // The unfinished row, then the block. Kept, since buffers are collected late.
  let scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES);
  let restBytes = 0;

  function withRest(block: Buffer): Buffer {
    if (restBytes === 0) return block;
    const allBytes = restBytes + block.length;
    makeRoom(allBytes);
    scratch.set(block, restBytes);
    return scratch.subarray(0, allBytes);
  }

  function makeRoom(bytes: number): void {
    if (bytes <= scratch.length) return;
    const larger = Buffer.allocUnsafeSlow(2 * bytes);
    scratch.copy(larger, 0, 0, restBytes);
    scratch = larger;
  }

  function takeRow(bytes: Buffer, row: Row, start: number): void {
    if (columns === undefined) {
      if (row.columns < 2 || !isHeader(bytes, row, format)) state = "none";
      columns = row.columns;
    } else if (row.columns !== columns) {
      state = "blank";
    } else {
      const index = rows - 1;
      if (sample.wants(index)) {
        sample.add(index, bytes.toString("utf8", start, row.end), row.end - start);
      }
    }
    if (state === "rows") rows += 1;
  }

  /** Offset of what is no whole row, or follows the table. */
  async function takeRows(bytes: Buffer, isLast: boolean): Promise<number> {
    let at = 0;
    let pauseAt = BYTES_BETWEEN_PAUSES;
    while (at < bytes.length) {
      const row = readRow(bytes, at, format);
      // A quote that is not closed yet reads as a malformed one.
      if (row === undefined && (isLast || bytes.length - at > MAX_ROW_BYTES)) state = "none";
      if (row === undefined || (!isLast && bytes[row.next - 1] !== LINE_FEED)) return at;
      takeRow(bytes, row, at);
      if (state !== "rows") return at;
      at = row.next;
      if (at > pauseAt) {
        await pause();
        pauseAt = at + BYTES_BETWEEN_PAUSES;
      }
    }
    return at;
  }

  return {
    async take(block, isLast) {
      if (state === "none") return;
      const bytes = withRest(block);
      const end = state === "rows" ? await takeRows(bytes, isLast) : 0;
      restBytes = 0;
      if (state === "rows") {
        makeRoom(bytes.length - end);
        restBytes = bytes.copy(scratch, 0, end);
      } else {
        scratch = NOTHING;
      }
      if (state !== "blank") return;
      blankBytes += bytes.length - end;
      if (blankBytes > BYTES_BETWEEN_PAUSES || !isBlank(bytes.subarray(end))) state = "none";
    },
    records() {
      if (state === "none" || rows < MIN_ROWS) return undefined;
      return sampledRecords(sample.items(), rows - 1);
    },
  };
}

function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === LINE_FEED || byte === CARRIAGE_RETURN);
}
