import { shorten } from "../../../util/safe-text.js";
import type { Outline, OutlineEntry } from "./outline.js";
import { LINE_CHARACTERS, type LineReader } from "./text-parts.js";
import { grouped } from "../../../util/amounts.js";

/** A heading, and the lines up to the next one of its level or above. */
interface Heading {
  readonly line: number;
  readonly level: number;
  readonly text: string;
  endLine: number;
}

/** Collects headings; those that begin while it is full are counted. */
export interface HeadingList {
  readonly add: (line: number, level: number, text: string, mark?: string) => void;
  /** Ends what is open: the text goes on elsewhere. */
  readonly skip: (lastLine: number) => void;
  readonly outline: (lastLine: number) => Outline | undefined;
}

/** Headings of one level that are kept: far more than have room, and the last of them beside. */
const MAX_OF_LEVEL = 400;
const LEVELS = 6;
const SHOWN_CHARACTERS = 60;
const SHORT_CHARACTERS = 30;
const RAW_CHARACTERS = 160;
/** From here on it is told how many headings of each mark there are. */
const MANY_HEADINGS = 12;

const LEGEND = "line: heading (how many lines)";

/** Versions and days, one like the other. */
const OF_SERIES = /^(?:\[|version |release |v)*\d{1,5}[.-]\d/i;

/** @param clean - Takes the marks out of a heading's text. */
export function createHeadings(clean: (text: string) => string): HeadingList {
  const kept: Heading[][] = [];
  const lastOf: (Heading | undefined)[] = [];
  let open: Heading[] = [];
  const marks = new Map<string, number>();
  let total = 0;

  function close(level: number, lastLine: number): void {
    for (const heading of open) if (heading.level >= level) heading.endLine = lastLine;
    open = open.filter((heading) => heading.level < level);
  }

  return {
    add(line, level, text, mark) {
      if (mark !== undefined) marks.set(mark, (marks.get(mark) ?? 0) + 1);
      close(level, line - 1);
      const heading = { line, level, text: text.slice(0, RAW_CHARACTERS), endLine: line };
      open.push(heading);
      total += 1;
      const group = (kept[level] ??= []);
      if (group.length < MAX_OF_LEVEL) group.push(heading);
      lastOf[level] = heading;
    },
    skip: (lastLine) => close(0, lastLine),
    outline(lastLine) {
      close(0, lastLine);
      const all = new Set([...kept, lastOf].flat().filter((heading) => heading !== undefined));
      const headings = [...all].toSorted((one, other) => one.line - other.line);
      const levels = [...new Set(headings.map(({ level }) => level))].toSorted((a, b) => a - b);
      const entries = headings.map((heading) => entryOf(heading, levels, clean));
      const series = levels.filter((level) => isSeries(headings, level, clean));
      return total === 0
        ? undefined
        : {
            facts: [total < MANY_HEADINGS ? LEGEND : `${LEGEND}${marksText(marks)}`],
            entries,
            total,
            noun: "headings",
            ...(marks.size === 0 ? {} : { rankName: (level: number) => `of level ${level}` }),
            series,
            hasLines: true,
          };
    },
  };
}

/** How often each mark of a heading is there: for whoever searches for them. */
function marksText(marks: ReadonlyMap<string, number>): string {
  const all = [...marks].toSorted(([one], [other]) => (one < other ? -1 : 1));
  const text = all.map(([mark, count]) => `${mark} ${grouped(count)}`).join(", ");
  return text === "" ? "" : `; ${text}`;
}

function entryOf(
  { line, level, text, endLine }: Heading,
  levels: readonly number[],
  clean: (text: string) => string,
): OutlineEntry {
  const indent = "  ".repeat(Math.min(levels.indexOf(level), LEVELS));
  const lines = endLine - line + 1;
  const shown = shorten(clean(text), SHOWN_CHARACTERS);
  return {
    text: `${line}: ${indent}${shown} (${lines})`,
    short: `${line}: ${indent}${shorten(shown, SHORT_CHARACTERS)}`,
    rank: level,
    weight: lines,
  };
}

function isSeries(
  headings: readonly Heading[],
  level: number,
  clean: (text: string) => string,
): boolean {
  const texts = headings.filter((heading) => heading.level === level);
  const alike = texts.filter(({ text }) => OF_SERIES.test(clean(text)));
  return alike.length * 2 > texts.length;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)/;
const COMMENT = /^ {0,3}<!--/;
const ATX = /^ {0,3}(#{1,6})[ \t]+(\S.*)/;
const HTML_HEADING = /^ {0,3}<h([1-6])[ >]/i;
const UNDERLINE = /^(?:={3,}|-{3,}) {0,3}$/;
const PLAIN_START = /^(?!\d{1,3}[.)] )[^\s\-*+>|#<=]/;

/** Reads the headings of Markdown; fenced code, comments and what stands before the text are none. */
export function markdownReader(): LineReader & Pick<HeadingList, "outline"> {
  const list = createHeadings(withoutMarks);
  let fence = "";
  let isFrontMatter = false;
  let isComment = false;
  let previous = "";
  return {
    take(line, number) {
      if (number === 1 && line === "---") isFrontMatter = true;
      else if (isFrontMatter) isFrontMatter = line !== "---" && number < 200;
      else takeLine(line, number);
      previous = line;
    },
    skip(lastLine) {
      fence = "";
      isComment = false;
      list.skip(lastLine);
    },
    outline: list.outline,
  };

  function takeLine(line: string, number: number): void {
    if (isComment) {
      isComment = !line.includes("-->");
      return;
    }
    const [, mark = "", info = ""] = FENCE.exec(line) ?? [];
    if (fence !== "") {
      // What closes is as long and says nothing more.
      if (mark.startsWith(fence) && info.trim() === "") fence = "";
      return;
    }
    if (mark !== "" && !(mark.startsWith("`") && info.includes("`"))) {
      fence = mark;
      return;
    }
    if (COMMENT.test(line)) {
      isComment = line.length < LINE_CHARACTERS && !line.includes("-->");
      return;
    }
    const [, marks = "", title = ""] = ATX.exec(line) ?? [];
    const [, html = ""] = marks === "" ? (HTML_HEADING.exec(line) ?? []) : [];
    if (marks !== "") addHeading(number, marks.length, title, marks);
    else if (html !== "") addHeading(number, Number(html), line.trim(), `<h${html}>`);
    else if (UNDERLINE.test(line) && PLAIN_START.test(previous))
      addHeading(number - 1, line[0] === "=" ? 1 : 2, previous, line.slice(0, 3));
  }

  function addHeading(number: number, level: number, text: string, mark: string): void {
    if (withoutMarks(text.slice(0, RAW_CHARACTERS)) !== "") list.add(number, level, text, mark);
  }
}

/** The words of a heading: no images, no addresses of links, no tags. */
function withoutMarks(text: string): string {
  return text
    .replaceAll(/!\[[^[\]]{0,80}\]\([^()]{0,120}\)/g, "")
    .replaceAll(/\[([^[\]]{0,100})\](?:\([^()]{0,120}\)|\[[^[\]]{0,40}\])/g, "$1")
    .replaceAll(/<[^<>]{1,120}>/g, "")
    .replaceAll(/[*`]/g, "")
    .replaceAll(/\s+/g, " ")
    .replace(/^ /, "")
    .replace(/ ?#{0,6} ?$/, "");
}

const CAPITALS = /^ {0,40}[A-Z][A-Z0-9 ,.'&/()-]{3,70}$/;
const NUMBERED = /^ {0,4}(?:(\d{1,2})((?:\.\d{1,2}){0,3})\.? {1,4}[A-Z]|[IVXLC]{1,6}\. {1,4}[A-Z])/;
const CENTERED = /^ {10,60}[A-Z][\w ,.'-]{2,60}$/;
const NAMED =
  /^ {0,40}(?:chapter|part|book|section|appendix|article|act|scene) {1,3}[\dIVXLCA-Z]{1,7}\b/i;
const TITLE_UNDERLINE = /^(?:={3,}|-{3,}|~{3,}|\*{3,})$/;
const MAX_TITLE = 90;
/** Fewer headings are likely none. */
const MIN_HEADINGS = 3;

/**
 * Reads the headings of plain text: underlined, or on a line of their own between empty ones and numbered, named a chapter,
 * or in capitals.
 */
export function proseReader(): LineReader & Pick<HeadingList, "outline"> {
  const list = createHeadings((text) => text.trim().replaceAll(/\s+/g, " "));
  let [before, previous] = ["", ""];
  let count = 0;
  let lineCount = 0;
  return {
    take(line, number) {
      lineCount = number;
      if (previous !== "" && previous.length <= MAX_TITLE) {
        const level = levelOf(previous, before, line);
        if (level > 0) {
          count += 1;
          list.add(number - 1, level, previous);
        }
      }
      before = previous;
      previous = line;
    },
    skip: list.skip,
    // Of a text that is made of nothing but headings, they are none.
    outline: (lastLine) =>
      count >= MIN_HEADINGS && count * 3 < lineCount ? list.outline(lastLine) : undefined,
  };
}

/** The level of a line that is a heading by what stands around it; else 0. */
function levelOf(line: string, before: string, after: string): number {
  if (TITLE_UNDERLINE.test(after) && /^\S/.test(line) && /[A-Za-z]/.test(line))
    return after.startsWith("=") ? 1 : 2;
  if (before.trim() !== "") return 0;
  if (NAMED.test(line)) return 2;
  const isManual = CAPITALS.test(line) && (after === "" || after.startsWith(" "));
  if (isManual) return 3;
  if (after.trim() !== "") return 0;
  if (CENTERED.test(line)) return 2;
  const numbered = NUMBERED.exec(line);
  return numbered ? 3 + (numbered[2] ?? "").length / 2 : 0;
}
