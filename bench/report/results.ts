import { existsSync, readFileSync } from "node:fs";

import type { BenchRow } from "../harness.js";

/** What `npm run bench` measured last, and on what. */
export interface BenchResults {
  readonly machine: {
    readonly node: string;
    readonly cpu?: string | undefined;
    readonly cores: number;
    readonly memoryGb: number;
  };
  readonly rows: readonly BenchRow[];
}

export const RESULTS: URL = new URL("../results.json", import.meta.url);

export function readResults(): BenchResults | undefined {
  if (!existsSync(RESULTS)) return undefined;
  const results: BenchResults = JSON.parse(readFileSync(RESULTS, "utf8"));
  return results;
}

/** A Markdown table with columns of one width. */
export function markdownTable(
  columns: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const cells = rows.map((row) => row.map((cell) => cell.replaceAll("|", "\\|")));
  const widths = columns.map((column, index) =>
    Math.max(column.length, ...cells.map((row) => row[index]?.length ?? 0)),
  );
  const line = (values: readonly string[]): string =>
    `| ${values.map((value, index) => value.padEnd(widths[index] ?? 0)).join(" | ")} |`;
  return [line(columns), line(widths.map((width) => "-".repeat(width))), ...cells.map(line)].join(
    "\n",
  );
}

/** A figure of a row as a number; times in milliseconds, sizes in bytes. */
export function figureOf(text: string): number {
  const [, number, unit = ""] = /^([\d.,]*\d)\s*(\S*?),?(?:\s|$)/.exec(text) ?? [];
  if (number === undefined) throw new Error(`There is no figure in "${text}".`);
  return Number(number.replaceAll(",", "")) * (FACTORS[unit] ?? 1);
}

const FACTORS: Readonly<Record<string, number>> = {
  µs: 1e-3,
  s: 1e3,
  kB: 1e3,
  MB: 1e6,
};
