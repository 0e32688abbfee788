import { styleText } from "node:util";

import { safeJson, shorten } from "../util/safe-text.js";
import type { Call, Output, Surroundings } from "./call.js";

/**
 * What must not reach a terminal from somebody else's data: controls other than tab and line feed
 * (escape sequences begin with one), bidirectional and invisible characters, line separators, lone
 * surrogates.
 */
const UNSAFE = /(?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/**
 * The text with each unsafe character as its escape, such as `\u001b`. A carriage return before a line
 * feed goes, one by itself is escaped: it would write over the line.
 */
export function printable(text: string): string {
  return text.replaceAll("\r\n", "\n").replaceAll(UNSAFE, escaped);
}

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  return code > 0xffff ? `\\u{${hex}}` : `\\u${hex.padStart(4, "0")}`;
}

/** The same on one line, with at most so many characters. */
export function printableLine(
  text: string,
  maxCharacters: number = Number.MAX_SAFE_INTEGER,
): string {
  const line = printable(text)
    .replaceAll("\n", String.raw`\n`)
    .replaceAll("\t", String.raw`\t`);
  return shorten(line, maxCharacters);
}

/** Writes somebody else's text: as it is into a file or a pipe, escaped for a terminal. */
export async function writeText(output: Output, text: string): Promise<void> {
  const shown = output.isTerminal ? printable(text) : text;
  await output.write(shown.endsWith("\n") ? shown : `${shown}\n`);
}

/** One JSON value on a line: no control or invisible character stands in it unescaped. */
export function jsonLine(value: unknown): string {
  return `${safeJson(value)}\n`;
}

/** What a command found: with `--json` the value on a line, otherwise the lines. */
export async function writeFound(
  { out, flags }: Call,
  value: unknown,
  lines: readonly string[],
): Promise<void> {
  await out.write(flags["json"] ? jsonLine(value) : lines.join(""));
}

/** Puts a style around a text that is printable. */
export type Paint = (style: "bold" | "dim" | "red" | "green" | "yellow", text: string) => string;

/** Styles on a terminal, unless `NO_COLOR` is set to anything (no-color.org) or the terminal is `dumb`. */
export function paintFor({ out, env }: Surroundings): Paint {
  const isWanted = out.isTerminal && !env["NO_COLOR"] && env["TERM"] !== "dumb";
  return (style, text) => (isWanted ? styleText(style, text, { validateStream: false }) : text);
}

/**
 * Rows as lines with their columns in place. The cells are printable, and as wide as they are long but in the last
 * column.
 *
 * @param right - Columns that end at the same place, not begin.
 */
export function table(
  rows: readonly (readonly string[])[],
  right: readonly number[] = [],
): readonly string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, { length }] of row.entries())
      widths[column] = Math.max(widths[column] ?? 0, length);
  }
  return rows.map((row) => {
    const cells = row.map((cell, column) => {
      const width = widths[column] ?? 0;
      return right.includes(column) ? cell.padStart(width) : cell.padEnd(width);
    });
    return `${cells.join("  ").trimEnd()}\n`;
  });
}

const EVERY_MS = 500;
const ERASE_LINE = "\r\u001b[K";

/**
 * Says on standard error how long work has taken while it takes longer than half a second, when that is a terminal,
 * and takes the line away at the end.
 *
 * @param what - Nothing of somebody's data in it.
 */
export async function withProgress<T>(
  { err }: Pick<Surroundings, "err">,
  what: string,
  work: () => Promise<T>,
): Promise<T> {
  if (!err.isTerminal) return await work();
  const startedAt = performance.now();
  let isShown = false;
  const timer = setInterval(() => {
    isShown = true;
    void err.write(`${ERASE_LINE}${what}: ${duration(performance.now() - startedAt)}`);
  }, EVERY_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    if (isShown) await err.write(ERASE_LINE);
  }
}

const UNITS = [
  ["min", 60_000, 1],
  ["h", 3_600_000, 1],
  ["d", 86_400_000, 2],
] as const;

/** `59 s`, `12 min`, `47 h`, `364 d`: the largest unit of which there is a whole one, of days two. */
export function duration(ms: number): string {
  const [unit, unitMs] = UNITS.findLast(([, size, least]) => ms >= least * size) ?? ["s", 1000];
  return `${Math.max(0, Math.floor(ms / unitMs))} ${unit}`;
}

/** ISO 8601 in UTC; the number itself for a time that no calendar has. */
export function date(unixMs: number): string {
  const date = new Date(unixMs);
  return Number.isNaN(date.getTime()) ? String(unixMs) : date.toISOString();
}
