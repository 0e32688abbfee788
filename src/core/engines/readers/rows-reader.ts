import {
  cellsOf,
  columnNames,
  createRowCutter,
  isBlank,
  type Row,
  type RowFormat,
} from "../../content/table/rows.js";
import { type ByteReader, pieceReader } from "./byte-reader.js";

const CHUNK_BYTES = 64 * 1024;

/**
 * Reads the rows of a table as JSON lines: each an object of strings, keyed by the names of the columns. The rows
 * are those that were counted when the table was identified. Holds a chunk and one row at a time.
 *
 * @throws Error from `read` at a row that cannot be read: the bytes are not those of the table.
 */
export function createRowsReader(source: ByteReader, format: RowFormat): ByteReader {
  return pieceReader(linesOf(source, format), source);
}

function* linesOf(source: ByteReader, format: RowFormat): Generator<Uint8Array> {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  const cutter = createRowCutter(format);
  let keys: readonly string[] | undefined;

  function lineOf(bytes: Buffer, row: Row): string {
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

  for (let ended = false; !ended;) {
    const count = source.read(chunk);
    ended = count === 0;
    let lines = "";
    cutter.feed(chunk.subarray(0, count), ended);
    for (let row = cutter.next(); row !== undefined; row = cutter.next()) {
      lines += lineOf(cutter.bytes(), row);
    }
    if (cutter.isBroken()) throw new Error("a row cannot be read; is a quote left open?");
    yield Buffer.from(lines);
  }
}
