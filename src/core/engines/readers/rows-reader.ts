import {
  cellsOf,
  columnNames,
  createRowCutter,
  type CutRow,
  isBlank,
  type RowFormat,
} from "../../content/table/rows.js";
import type { ByteReader } from "./byte-reader.js";

const CHUNK_BYTES = 64 * 1024;

/**
 * Reads the rows of a table as JSON lines: each an object of strings, keyed by the names of the columns. The rows
 * are those that were counted when the table was identified. Holds a chunk and one row at a time.
 *
 * @throws Error from `read` at a row that cannot be read: the bytes are not those of the table.
 */
export function createRowsReader(source: ByteReader, format: RowFormat): ByteReader {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  const cutter = createRowCutter(format);
  let keys: readonly string[] | undefined;
  let ready: Uint8Array = new Uint8Array(0);
  let ended = false;

  function lineOf({ bytes, row }: CutRow): string {
    const cells = cellsOf(bytes, row, format);
    if (keys === undefined) {
      keys = columnNames(cells).map((name) => `${JSON.stringify(name)}:`);
      return "";
    }
    if (cells.length !== keys.length) {
      if (isBlank(bytes, row)) return "";
      throw new Error(`a row has ${cells.length} cells, the header ${keys.length}`);
    }
    return `{${keys.map((key, index) => key + JSON.stringify(cells[index])).join(",")}}\n`;
  }

  function readLines(): string {
    const count = source.read(chunk);
    ended = count === 0;
    let lines = "";
    for (const cut of cutter.take(chunk.subarray(0, count), ended)) lines += lineOf(cut);
    if (cutter.isBroken()) throw new Error("a row cannot be read; is a quote left open?");
    return lines;
  }

  return {
    read(target) {
      while (ready.length === 0 && !ended) ready = Buffer.from(readLines(), "utf8");
      const part = ready.subarray(0, target.length);
      target.set(part);
      ready = ready.subarray(part.length);
      return part.length;
    },
    close: () => source.close(),
  };
}
