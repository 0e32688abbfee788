import { columnsOf, cutToColumns, padToColumns } from "./columns.js";
import { printableLine } from "./printable.js";
import type { Paint } from "./style.js";

/** One column: its title and how its cells stand. */
export interface Column {
  readonly title: string;
  readonly align?: "left" | "right";
}

const GAP = "  ";
const MAX_CELL_COLUMNS = 32;

/**
 * A plain table with its titles on top. What is unsafe in a cell is escaped, and a long cell ends with
 * `…`. Lines have no spaces at their end.
 */
export function table(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  paint: Paint,
): string {
  const titles = columns.map(({ title }) => title);
  const lines = [titles, ...rows.map((row) => row.map((cell) => cellOf(cell)))];
  const widths = columns.map((_, index) =>
    lines.reduce((width, line) => Math.max(width, columnsOf(line[index] ?? "")), 0),
  );
  return lines
    .map((line, row) => {
      const cells = line.map((cell, index) =>
        padToColumns(cell, widths[index] ?? 0, columns[index]?.align ?? "left"),
      );
      const text = cells.join(GAP).trimEnd();
      return `${row === 0 ? paint("bold", text) : text}\n`;
    })
    .join("");
}

/** `name  value` lines, names padded to the longest. */
export function pairs(entries: readonly (readonly [string, string])[]): string {
  const width = entries.reduce((width, [name]) => Math.max(width, columnsOf(name)), 0);
  return entries
    .map(([name, value]) => `${padToColumns(name, width, "left")}${GAP}${value}\n`)
    .join("");
}

function cellOf(text: string): string {
  return cutToColumns(printableLine(text), MAX_CELL_COLUMNS);
}
