import { cellsOf, readRow, rowFormatOf, type RowFormat } from "./delimited-row.js";
import type { Content } from "../../types/content.js";

/** The header row of a table. */
interface TableHeader {
  /** As they came, without the line end and a byte order mark. */
  readonly text: string;
  readonly cells: readonly string[];
  /** Offset of the first record. */
  readonly next: number;
}

const MARK = Buffer.from("\uFEFF");

/** Where the first row begins: behind a byte order mark. */
export function headerStart(bytes: Buffer): number {
  return bytes.subarray(0, MARK.length).equals(MARK) ? MARK.length : 0;
}

/** Reads the header row; `undefined` when the bytes do not begin with a row. */
function readHeader(bytes: Buffer, format: RowFormat): TableHeader | undefined {
  const start = headerStart(bytes);
  const row = readRow(bytes, start, format);
  if (row === undefined) return undefined;
  const text = bytes.toString("utf8", start, row.end);
  return { text, cells: cellsOf(bytes, row, format), next: row.next };
}

/**
 * The keys that the records of a table have, by the cells of its header: a cell without text is `column_N`,
 * counted from 1, with `_` after it as often as another column has that name.
 */
export function columnNames(cells: readonly string[]): string[] {
  const taken = new Set(cells);
  return cells.map((cell, index) => {
    if (cell !== "") return cell;
    let name = `column_${index + 1}`;
    while (taken.has(name)) name += "_";
    taken.add(name);
    return name;
  });
}

/** The header of an identified table, and the names of its columns. */
export function headerOf(content: Pick<Content, "kind" | "body" | "literalQuotes">): {
  readonly text: string;
  readonly names: readonly string[];
} {
  const { buffer, byteOffset, byteLength } = content.body;
  const header = readHeader(Buffer.from(buffer, byteOffset, byteLength), rowFormatOf(content));
  return { text: header?.text ?? "", names: columnNames(header?.cells ?? []) };
}
