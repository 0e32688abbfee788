import { counted, grouped } from "../../../util/amounts.js";
import { shorten } from "../../../util/safe-text.js";
import { BYTES_BETWEEN_PAUSES, pause } from "../../../util/pause.js";
import type { Outline } from "./outline.js";
import { lineCounter } from "./text-parts.js";

interface Table {
  rows: number;
  readonly first: number;
  last: number;
}

const NAME = String.raw`((?:[\`"[]?[\w$]{1,80}[\`"\]]?\.){0,2}[\`"[]?[\w$]{1,80}[\`"\]]?)`;
const INSERT = new RegExp(
  String.raw`^(?:INSERT (?:IGNORE )?|REPLACE )INTO ${NAME} ?(?:\([^()\n]{0,4000}\) ?)?VALUES\b|^COPY ${NAME} ?(?:\([^()\n]{0,4000}\) ?)?FROM stdin;`,
  "gim",
);
const MAX_TABLES = 1_000;
const NAME_CHARACTERS = 60;

/**
 * The tables of an SQL dump, with how many rows are inserted into each and in which lines; `undefined` for what inserts none.
 * Reads quotes, so that what a row says is no row.
 */
export async function sqlDumpOutline(text: string): Promise<Outline | undefined> {
  const tables = new Map<string, Table>();
  const insert = new RegExp(INSERT.source, INSERT.flags);
  const lineAt = lineCounter(text);
  let others = 0;
  let nextPause = BYTES_BETWEEN_PAUSES;
  for (let found = insert.exec(text); found !== null; found = insert.exec(text)) {
    const [, inserted, copied = ""] = found;
    const first = lineAt(found.index);
    const { rows, end } =
      inserted === undefined
        ? copiedRows(text, insert.lastIndex)
        : insertedRows(text, insert.lastIndex, inserted.startsWith("`"));
    insert.lastIndex = end;
    const name = (inserted ?? copied).replaceAll(/[`"[\]]/g, "");
    const table = tables.get(name);
    if (table !== undefined) {
      table.rows += rows;
      table.last = lineAt(end);
    } else if (tables.size < MAX_TABLES) tables.set(name, { rows, first, last: lineAt(end) });
    else others += 1;
    if (end < nextPause) continue;
    nextPause = end + BYTES_BETWEEN_PAUSES;
    await pause();
  }
  if (tables.size === 0) return undefined;
  const all = [...tables];
  const rows = all.reduce((sum, [, table]) => sum + table.rows, 0);
  return {
    facts: [
      `${counted(all.length, "table")} with ${counted(rows, "inserted row")}; lines: table (rows)`,
    ],
    entries: all.map(([name, { rows: own, first, last }]) => ({
      text: `${first}${last > first ? `-${last}` : ""}: ${shorten(name, NAME_CHARACTERS)} (${grouped(own)})`,
      rank: 1,
      weight: own,
    })),
    total: all.length,
    hasMore: others > 0,
    noun: "tables",
    hasLines: true,
  };
}

/** Rows in parentheses up to the end of the statement, and where it ends. */
function insertedRows(
  text: string,
  from: number,
  hasEscapes: boolean,
): { readonly rows: number; readonly end: number } {
  let [rows, depth, at] = [0, 0, from];
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 39) at = endOfQuoted(text, at, hasEscapes);
    else if (code === 40) {
      depth += 1;
      if (depth === 1) rows += 1;
    } else if (code === 41) depth -= 1;
    else if (code === 59 && depth <= 0) break;
    // Another clause may have parentheses that are no row.
    else if (
      depth === 0 &&
      (code | 32) === 111 &&
      /^on (?:conflict|duplicate)/i.test(text.slice(at, at + 12))
    )
      return { rows, end: text.indexOf(";", at) === -1 ? text.length : text.indexOf(";", at) };
  }
  return { rows, end: at };
}

/** At the quote that ends a text; a doubled quote ends none, and in MySQL one behind a backslash. */
function endOfQuoted(text: string, from: number, hasEscapes: boolean): number {
  for (let at = from + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 92 && hasEscapes) at += 1;
    else if (code === 39 && text.charCodeAt(at + 1) === 39) at += 1;
    else if (code === 39) return at;
  }
  return text.length;
}

/** Lines up to the one that ends them, as PostgreSQL writes them. */
function copiedRows(text: string, from: number): { readonly rows: number; readonly end: number } {
  let rows = -1;
  let at = from;
  while (at < text.length && !text.startsWith("\\.", at)) {
    const next = text.indexOf("\n", at);
    rows += 1;
    at = next === -1 ? text.length : next + 1;
  }
  return { rows: Math.max(0, rows), end: at };
}
