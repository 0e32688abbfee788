import { readRow } from "./delimited-row.js";
import { BYTES_BETWEEN_PAUSES, pause } from "../../../util/pause.js";
import {
  createRecordOffsets,
  createRecordReader,
  noteRecord,
  type RecordOffsets,
} from "../record-offsets.js";
import {
  createTableCheck,
  TABLE_DIALECTS,
  type TableCheck,
  tableContent,
  type TableContent,
} from "./table-check.js";
import { headerStart } from "./table-header.js";

/**
 * Finds rows of constant width under a header row; `undefined` when the bytes are no CSV and no TSV.
 * The records are the rows below the header, without their line ends.
 */
export async function identifyRows(bytes: Buffer): Promise<TableContent | undefined> {
  for (const dialect of TABLE_DIALECTS) {
    const check = createTableCheck(dialect);
    const offsets = await readTable(bytes, check);
    if (offsets === undefined) continue;
    const at = createRecordReader(bytes, check.count(), offsets, (offset) => {
      const row = readRow(bytes, offset, check.format);
      return row ?? { end: bytes.length, next: bytes.length };
    });
    return tableContent(dialect, { count: check.count(), path: [], envelope: undefined, at });
  }
  return undefined;
}

async function readTable(bytes: Buffer, check: TableCheck): Promise<RecordOffsets | undefined> {
  const offsets = createRecordOffsets();
  let at = headerStart(bytes);
  let pauseAt = BYTES_BETWEEN_PAUSES;
  while (at < bytes.length) {
    const row = readRow(bytes, at, check.format);
    const place = row === undefined ? "none" : check.take(bytes, row);
    if (row === undefined || place === "none") return undefined;
    if (place === "record") noteRecord(offsets, check.count() - 1, at);
    at = row.next;
    if (at > pauseAt) {
      await pause();
      pauseAt = at + BYTES_BETWEEN_PAUSES;
    }
  }
  return check.isTable() ? offsets : undefined;
}
