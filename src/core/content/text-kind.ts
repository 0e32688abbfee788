import { isCode } from "./code-lines.js";
import type { ContentKind } from "../types/content.js";

/** How much of a text is looked at, in UTF-16 units, and how many of its lines. */
const SAMPLE_CHARACTERS = 65_536;
const MAX_LINES = 1_000;
/** What is looked at of a line. */
const LINE_CHARACTERS = 200;

const TIME =
  /^[[(<"]?(?:\d{4}[-/]\d\d[-/]\d\d(?:[T ]\d\d:\d\d)?|\d\d[-/]\d\d[-/]\d{2,4} \d\d:\d\d|\d\d:\d\d:\d\d|\w{3} +\d{1,2} \d\d:\d\d:\d\d|(?:\w{3}, )?\d\d[ /]\w{3}[ /]\d{4}|\d{10}(?:\d{3})?(?:\.\d+)?[ \t:|\]])/;
const LEVEL =
  /^(?:\[?(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL|SEVERE)\]?[\s:|-]|[IWEF]\d{4} \d\d:\d\d|level=\w|time="?\d|<\d{1,3}>)/i;
/** Web servers write the address first and the time in brackets. */
const ACCESS = /^\S+ \S+ \S+ \[\d\d\/\w{3}\/\d{4}:/;

const HEADING = /^#{1,6} +\S/;
const UNDERLINE = /^(?:={3,}|-{3,})$/;
/** What reStructuredText has and Markdown has not. */
const DIRECTIVE = /^ *\.\. [\w:-]{2,40}::/;
const TITLE = /^(?!\d{1,3}[.)] )[\w`[]/;
const FENCE = /^ {0,3}(?:```|~~~)/;
const LIST_ITEM = /^ *(?:[-*+]|\d{1,3}[.)]) +\S/;
const TABLE_RULE = /^ *(?:\| *)?:?-{3,}:? *\|/;
const LINK_OR_STRONG = /\[[^\]]{1,80}\]\([^)\s]{1,120}\)|\*\*[^*]{1,80}\*\*/;

const XML_DECLARATION = /^\s*<\?xml\s/;
const HTML_START = /^\s*<(?:!doctype html|html)[\s>]/i;
const FIRST_TAG = /^\s*<([A-Za-z_][\w.:-]{0,80})[\s/>]/;
/** Elements that only stand in pages. */
const HTML_ELEMENT = /^(?:html|head|body|div|p|table|ul|ol|span|main|section|article|form|nav)$/i;
const END_CHARACTERS = 200;

const HUNK = /^@@ -\d+(?:,\d+)? \+\d+/;
/** Lines that a letter or a commit's message may have before a diff. */
const MAX_LINES_BEFORE_DIFF = 60;

/**
 * Tells markup, YAML, diffs, logs, source code and Markdown from other text by the first 64 K characters, markup also by its end.
 *
 * A log has three or more lines that begin with a time or a level, and they are a third of all lines or more, so that stack
 * traces may stand between them. Markdown has headings, fences, lists, tables or links, and more
 * than one kind of them or mostly list items. What may be two of them is the less special one.
 */
export function textKind(text: string): TextKind {
  const markup = markupKind(text);
  if (markup !== undefined) return markup;
  const lines = text
    .slice(0, SAMPLE_CHARACTERS)
    .split("\n", MAX_LINES)
    .map((line) => line.slice(0, LINE_CHARACTERS).trimEnd());
  const filled = lines.filter((line) => line !== "");
  const outside = unfenced(lines);
  if (isDiff(outside)) return "diff";
  const stamped = filled.filter((line) => isLogLine(line)).length;
  if (stamped >= 3 && stamped * 3 >= filled.length) return "log";
  if (isYaml(lines)) return "yaml";
  if (isCode(outside)) return "code";
  return isMarkdown(withoutComments(lines), filled.length) ? "markdown" : "text";
}

/** The kinds that a text can be, apart from records. */
export type TextKind = Extract<
  ContentKind,
  "log" | "markdown" | "xml" | "html" | "yaml" | "code" | "diff" | "text"
>;

/** XML has its declaration, or ends with the tag that it begins with. */
function markupKind(text: string): "xml" | "html" | undefined {
  const start = text.slice(text.startsWith("\ufeff") ? 1 : 0, SAMPLE_CHARACTERS);
  if (HTML_START.test(start)) return "html";
  if (XML_DECLARATION.test(start))
    return /<html[\s>]/i.test(start.slice(0, 1_000)) ? "html" : "xml";
  if (!/^\s*<[!\w]/.test(start)) return undefined;
  const [, name = ""] = FIRST_TAG.exec(afterComments(start)) ?? [];
  const end = text.slice(-END_CHARACTERS).trimEnd();
  if (name === "" || !end.endsWith(`</${name}>`)) return undefined;
  return HTML_ELEMENT.test(name) ? "html" : "xml";
}

/** The text after comments and declarations at its beginning. */
function afterComments(start: string): string {
  let rest = start.trimStart();
  while (rest.startsWith("<!")) {
    const mark = rest.startsWith("<!--") ? "-->" : ">";
    const end = rest.indexOf(mark, 2);
    if (end === -1) return "";
    rest = rest.slice(end + mark.length).trimStart();
  }
  return rest;
}

/** Whether lines begin with a changed file, or soon have one: its old name, its new name, a hunk. */
function isDiff(lines: readonly string[]): boolean {
  const hunk = lines.findIndex((line) => HUNK.test(line));
  if (hunk < 2 || hunk > MAX_LINES_BEFORE_DIFF) return false;
  return (
    lines[hunk - 1]?.startsWith("+++ ") === true && lines[hunk - 2]?.startsWith("--- ") === true
  );
}

/** The lines outside fenced code. */
function unfenced(lines: readonly string[]): string[] {
  let isFenced = false;
  return lines.filter((line) => {
    const isFence = FENCE.test(line);
    if (isFence) isFenced = !isFenced;
    return !isFenced && !isFence;
  });
}

/** The lines outside block comments, whose stars are no items of lists. */
function withoutComments(lines: readonly string[]): string[] {
  let isComment = false;
  return lines.filter((line) => {
    const start = line.trimStart();
    if (start.startsWith("/*")) isComment = true;
    const wasComment = isComment;
    if (start.includes("*/")) isComment = false;
    return !wasComment;
  });
}

function isLogLine(line: string): boolean {
  return TIME.test(line) || LEVEL.test(line) || ACCESS.test(line);
}

function isMarkdown(lines: readonly string[], filledCount: number): boolean {
  let headings = 0;
  let fences = 0;
  let items = 0;
  let others = 0;
  let isFenced = false;
  let previous = "";
  for (const line of lines) {
    if (DIRECTIVE.test(line)) return false;
    if (FENCE.test(line)) {
      isFenced = !isFenced;
      fences += 1;
    } else if (!isFenced) {
      // In scripts and settings a line with `# ` is a comment, and stands right over the code.
      if (HEADING.test(line) && previous === "") headings += 1;
      else if (UNDERLINE.test(line) && TITLE.test(previous)) headings += 1;
      else if (LIST_ITEM.test(line)) items += 1;
      else if (TABLE_RULE.test(line)) others += 1;
      if (LINK_OR_STRONG.test(line)) others += 1;
    }
    previous = line;
  }
  if (headings >= 1 && headings + fences + items + others >= 3) return true;
  if (fences >= 2 && items + others >= 1) return true;
  return items >= 3 && (items * 2 >= filledCount || others >= 2);
}

const KEY =
  /^ *(?:- +)*(?:"[^"]{1,80}"|'[^']{1,80}'|[\w./@$-]{1,80}):(?: +(\S.*))?$|^ *- \{ ?[\w"']{1,80} ?: /;
const DASH = /^ *-(?: |$)/;
const COMMENT = /^ *#/;
const COMMENT_HEADING = /^#{1,6} \S/;
const MARK = /^(?:---|\.\.\.)(?: |$)/;
const BLOCK = /(?:^|[ :])[|>][-+\d]{0,2}$/;
const INDENTED = /^ /;
/** As lines of objects in source code end. */
const OTHER_END = /[^,][,;{]$/;

const MIN_KEYS = 3;
/** Of the lines, how many have a key, and how many are YAML of some kind. */
const KEY_SHARE = 0.4;
const YAML_SHARE = 0.95;

/**
 * Whether lines are YAML and no prose, log or list of headers: nearly all of them keys, dashes or what goes on under a key,
 * and some key stands under another one or in a list.
 */
export function isYaml(lines: readonly string[]): boolean {
  // JSON that is cut off.
  if (/^\s*[[{]/.test(lines.find((line) => line !== "") ?? "")) return false;
  let [filled, keys, others, nested, own] = [0, 0, 0, 0, 0];
  let textIndent: number | undefined;
  let isMarked = false;
  let isOpen = false;
  for (const line of lines) {
    if (OTHER_END.test(line)) others += 1;
    const indent = line.length - line.trimStart().length;
    if (line === "" || COMMENT.test(line)) continue;
    if (textIndent !== undefined && indent > textIndent) continue;
    textIndent = undefined;
    filled += 1;
    if (MARK.test(line) || line.startsWith("%YAML")) {
      isMarked ||= filled === 1;
      continue;
    }
    const key = KEY.exec(line);
    if (BLOCK.test(line) && (key !== null || DASH.test(line))) textIndent = indent;
    if (key !== null) {
      keys += 1;
      if (!DASH.test(line)) own += 1;
      if (isOpen && (INDENTED.test(line) || DASH.test(line))) nested += 1;
      else if (indent > 0 && !DASH.test(line)) nested += 1;
      isOpen = key[1] === undefined;
    } else if (DASH.test(line)) {
      if (isOpen) nested += 1;
      isOpen = false;
    } else if (!INDENTED.test(line) || filled === 1) others += 1;
  }
  if (keys < MIN_KEYS || keys < filled * KEY_SHARE || others > filled * (1 - YAML_SHARE))
    return false;
  // Items of a list under headings may have a colon after their first word.
  return isMarked || (nested >= 2 && (own > 0 || !hasHeadings(lines)));
}

/** Whether lines with hashes stand alone, as those of Markdown do and comments hardly. */
function hasHeadings(lines: readonly string[]): boolean {
  const alone = lines.filter(
    (line, at) =>
      COMMENT_HEADING.test(line) && (lines[at - 1] ?? "") === "" && lines[at + 1] === "",
  );
  return alone.length >= 2;
}
