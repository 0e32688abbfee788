import { Parser } from "htmlparser2";
import { counted, grouped } from "../../../util/amounts.js";
import { shorten } from "../../../util/safe-text.js";
import { createHeadings } from "./headings.js";
import type { Outline, OutlineEntry } from "./outline.js";
import { lineCounter } from "./text-parts.js";

interface Table {
  readonly line: number;
  rows: number;
  /** Cells of the first row, when they are headers. */
  readonly headers: string[];
}

const COUNTED = ["a", "p", "li", "table", "tr", "form", "input", "img", "pre", "section"];
const HEADING = /^h[1-6]$/;
const MIN_LINES = 20;
const TITLE_CHARACTERS = 100;
const TEXT_CHARACTERS = 300;
const MAX_TABLES = 50;
const MAX_HEADERS = 12;
const HEADER_CHARACTERS = 30;
const ENTRY_CHARACTERS = 160;

/**
 * What a page has: its title, how many of its common elements, its headings, its tables with their headers.
 *
 * @param lineCount - Lines of the text.
 */
export function pageOutline(text: string, lineCount: number): Outline | undefined {
  const counts = new Map<string, number>();
  const headings = createHeadings((words) => words);
  const tables: Table[] = [];
  const open: Table[] = [];
  let title: string | undefined;
  /** What is read now: a title, a heading or a header of a table. */
  let inside = "";
  let [words, headingLine, tags] = ["", 1, 0];
  const lineAt = lineCounter(text);

  function begin(name: string): void {
    [inside, words] = [name, ""];
  }

  const parser: Parser = new Parser({
    onopentag(name, _attributes, isImplied) {
      if (isImplied) return;
      tags += 1;
      counts.set(name, (counts.get(name) ?? 0) + 1);
      if (name === "table") {
        const table = { line: lineAt(parser.startIndex), rows: 0, headers: [] };
        open.push(table);
        if (tables.length < MAX_TABLES) tables.push(table);
      } else if (name === "tr") {
        const table = open.at(-1);
        if (table !== undefined) table.rows += 1;
      } else if (HEADING.test(name)) {
        begin(name);
        headingLine = lineAt(parser.startIndex);
      } else if (name === "title" && title === undefined) begin(name);
      else if (name === "th" && (open.at(-1)?.rows ?? 0) <= 1) begin(name);
    },
    ontext(data) {
      if (inside !== "" && words.length < TEXT_CHARACTERS) words += data.slice(0, TEXT_CHARACTERS);
    },
    onclosetag(name) {
      if (name === "table") open.pop();
      if (name !== inside) return;
      const shown = words.replaceAll(/\s+/g, " ").trim();
      const table = open.at(-1);
      inside = "";
      if (name === "title") title = shown;
      else if (name !== "th") {
        if (shown !== "") headings.add(headingLine, Number(name[1]), shown);
      } else if (table !== undefined && table.headers.length <= MAX_HEADERS)
        table.headers.push(shorten(shown, HEADER_CHARACTERS));
    },
  });
  parser.end(text);
  if (tags === 0) return undefined;
  const known = COUNTED.filter((name) => counts.has(name));
  const outline = headings.outline(lineCount);
  const told = tables.filter(({ rows }) => rows > 1).map(tableEntry);
  return {
    facts: [
      ...(title === undefined || title === "" ? [] : [shorten(title, TITLE_CHARACTERS)]),
      `elements: ${known.map((name) => `${name} ${grouped(counts.get(name) ?? 0)}`).join(", ")}`,
      ...(outline?.facts ?? []),
    ].filter((fact) => fact !== "elements: "),
    entries: [...(outline?.entries ?? []), ...told].toSorted((a, b) => lineOf(a) - lineOf(b)),
    total: (outline?.total ?? 0) + told.length,
    noun: told.length === 0 ? "headings" : outline === undefined ? "tables" : "headings and tables",
    hasLines: lineCount >= MIN_LINES && (outline !== undefined || told.length > 0),
  };
}

function tableEntry({ line, rows, headers }: Table, at: number): OutlineEntry {
  const more = headers.length > MAX_HEADERS ? ", …" : "";
  const named = headers.slice(0, MAX_HEADERS).join(", ");
  return {
    text: shorten(
      `${line}: table with ${counted(rows, "row")}${named === "" ? "" : `: ${named}${more}`}`,
      ENTRY_CHARACTERS,
    ),
    rank: 2,
    weight: -at,
  };
}

function lineOf({ text }: OutlineEntry): number {
  return Number.parseInt(text, 10);
}
