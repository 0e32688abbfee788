import { Parser } from "htmlparser2";
import { counted } from "../../../util/amounts.js";
import { shorten } from "../../../util/safe-text.js";
import { createHeadings } from "./headings.js";
import { type Outline, lineCounter } from "./outline.js";

const HEADING = /^h[1-6]$/;
const MIN_LINES = 20;
const TITLE_CHARACTERS = 100;
const TEXT_CHARACTERS = 300;
const MAX_TABLES = 3;
const MAX_HEADERS = 20;
const TABLE_CHARACTERS = 120;

interface Table {
  readonly line: number;
  readonly headers: string[];
  rows: number;
}

export function pageOutline(text: string, lineCount: number): Outline | undefined {
  const headings = createHeadings((words) => words);
  const lineAt = lineCounter(text);
  const tables: Table[] = [];
  const open: Table[] = [];
  let hasTags = false;
  let title = "";
  let inside = "";
  let [words, headingLine] = ["", 1];
  const parser: Parser = new Parser({
    onopentag(name, _attributes, isImplied) {
      if (isImplied) return;
      hasTags = true;
      const isHeading = HEADING.test(name);
      if (isHeading) headingLine = lineAt(parser.startIndex);
      const table = open.at(-1);
      if (name === "table") open.push({ line: lineAt(parser.startIndex), headers: [], rows: 0 });
      if (name === "tr" && table !== undefined) table.rows += 1;
      const isHeader = name === "th" && table?.rows === 1;
      if (isHeading || isHeader || (name === "title" && title === "")) [inside, words] = [name, ""];
    },
    ontext(data) {
      if (inside !== "" && words.length < TEXT_CHARACTERS) words += data.slice(0, TEXT_CHARACTERS);
    },
    onclosetag(name) {
      const table = open.at(-1);
      if (name === "table" && table !== undefined) {
        open.pop();
        if (table.headers.length > 0) tables.push(table);
      }
      if (name !== inside) return;
      inside = "";
      const shown = words.replaceAll(/\s+/g, " ").trim();
      if (name === "title") title = shown;
      else if (name === "th") table?.headers.push(shown);
      else if (shown !== "") headings.add(headingLine, Number(name[1]), shown);
    },
  });
  parser.end(text);
  if (!hasTags) return undefined;
  const outline = headings.outline();
  return {
    entries: [],
    total: 0,
    noun: "headings",
    ...outline,
    facts: [
      ...(title === "" ? [] : [shorten(title, TITLE_CHARACTERS)]),
      ...tables.slice(0, MAX_TABLES).map(({ line, headers, rows }) => {
        const named = headers.slice(0, MAX_HEADERS).join(", ");
        return shorten(
          `table at line ${line}, ${counted(rows, "row")}: ${named}`,
          TABLE_CHARACTERS,
        );
      }),
      ...(outline?.facts ?? []),
    ],
    hasLines: lineCount >= MIN_LINES && outline !== undefined,
  };
}
