import type { Content } from "../types.js";

/** Longest header row that is looked at, in bytes; a longer one has no column names here. */
const MAX_HEADER_BYTES = 262_144;

/** Cells of one CSV or TSV row, with quotes taken off. A quote that is never closed runs to the end. */
export function splitRow(row: string, delimiter: "," | "\t"): string[] {
  const cells: string[] = [];
  let cell = "";
  let quoted = false;
  for (let index = 0; index < row.length; index += 1) {
    const character = row[index] ?? "";
    if (quoted) {
      if (character !== '"') cell += character;
      else if (row[index + 1] === '"') {
        cell += '"';
        index += 1;
      } else quoted = false;
    } else if (character === '"' && cell === "") quoted = true;
    else if (character === delimiter) {
      cells.push(cell);
      cell = "";
    } else cell += character;
  }
  cells.push(cell);
  return cells;
}

/** The delimiter of a table. */
export function delimiterOf(kind: Content["kind"]): "," | "\t" {
  return kind === "tsv" ? "\t" : ",";
}

/** The header row as it came, without its line end; empty when it is longer than 256 KiB. */
export function headerRow(content: Content): string {
  const bytes = content.body.subarray(0, MAX_HEADER_BYTES);
  const head = new TextDecoder("utf-8").decode(bytes);
  let quoted = false;
  for (let index = 0; index < head.length; index += 1) {
    const character = head[index];
    if (character === '"') quoted = !quoted;
    else if (character === "\n" && !quoted) return head.slice(0, index).replace(/\r$/, "");
  }
  return bytes.length < content.body.length ? "" : head;
}

/** Column names from the header row, in order. */
export function columnNames(content: Content): string[] {
  return splitRow(headerRow(content), delimiterOf(content.kind));
}
