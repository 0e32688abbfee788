import { MAX_ROW_BYTES, readRow, type Row, type RowFormat } from "./delimited-row.js";
import { headerStart } from "./table-header.js";

/** Cuts the rows of a table from a text that comes in blocks. */
export interface RowCutter {
  /**
   * Gives the rows that are whole with the next block, which may be overwritten afterwards; the bytes of a row hold
   * until the one after it. All must be taken. After a row that cannot be read nothing more comes.
   *
   * @param isLast - Whether the text ends here.
   */
  take(block: Buffer, isLast: boolean): Generator<CutRow, void>;
  /** Whether a row could not be read: a malformed quoted field, or too long. */
  isBroken(): boolean;
  /** Bytes of a row that has only begun. */
  restBytes(): number;
}

export interface CutRow {
  readonly bytes: Buffer;
  readonly row: Row;
}

const SCRATCH_BYTES = 65_536;
const MARK_BYTES = 3;
const LINE_FEED = 0x0a;
const NOTHING = Buffer.alloc(0);

/** Creates a cutter of a text of which nothing has come. Memory is that of a block and of the longest row. */
export function createRowCutter(format: RowFormat): RowCutter {
  // The unfinished row, then the block. Kept, since buffers are collected late.
  let scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES);
  let restBytes = 0;
  let isFirst = true;
  let isBroken = false;

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

  function keepRest(bytes: Buffer, from: number): void {
    makeRoom(bytes.length - from);
    restBytes = bytes.copy(scratch, 0, from);
  }

  return {
    *take(block, isLast) {
      if (isBroken) return;
      const bytes = withRest(block);
      if (isFirst && !isLast && bytes.length < MARK_BYTES) {
        keepRest(bytes, 0);
        return;
      }
      let at = isFirst ? headerStart(bytes) : 0;
      isFirst = false;
      while (at < bytes.length) {
        const row = readRow(bytes, at, format);
        // A quote that is not closed yet reads as a malformed one.
        isBroken = row === undefined && (isLast || bytes.length - at > MAX_ROW_BYTES);
        if (row === undefined || (!isLast && bytes[row.next - 1] !== LINE_FEED)) break;
        yield { bytes, row };
        at = row.next;
      }
      if (isBroken) scratch = NOTHING;
      else keepRest(bytes, at);
    },
    isBroken: () => isBroken,
    restBytes: () => restBytes,
  };
}
