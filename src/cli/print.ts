import { printable, shorten } from "../util/safe-text.js";
import type { Output } from "./call.js";

export function printableLine(
  text: string,
  maxCharacters: number = Number.MAX_SAFE_INTEGER,
): string {
  const line = printable(text)
    .replaceAll("\n", String.raw`\n`)
    .replaceAll("\t", String.raw`\t`);
  return shorten(line, maxCharacters);
}

export async function writeText(output: Output, text: string): Promise<void> {
  const shown = output.isTerminal ? printable(text) : text;
  await output.write(shown.endsWith("\n") ? shown : `${shown}\n`);
}

/** @param right - Right-aligned columns. */
export function table(
  rows: readonly (readonly string[])[],
  right: readonly number[] = [],
): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    rows.reduce((width, row) => Math.max(width, row[column]?.length ?? 0), 0),
  );
  return rows.map((row) => {
    const cells = row.map((cell, column) => {
      const width = widths[column] ?? 0;
      return right.includes(column) ? cell.padStart(width) : cell.padEnd(width);
    });
    return `${cells.join("  ").trimEnd()}\n`;
  });
}

/** ISO 8601 in UTC; the number itself for a time out of range. */
export function date(unixMs: number): string {
  const date = new Date(unixMs);
  return Number.isNaN(date.getTime()) ? String(unixMs) : date.toISOString();
}
