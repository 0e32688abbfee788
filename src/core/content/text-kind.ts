import { definitionIn } from "./code-lines.js";
import type { ContentKind } from "../types/content.js";

const SAMPLE_CHARACTERS = 65_536;
const MAX_LINES = 1_000;
const LINE_CHARACTERS = 200;

const TIME =
  /^[[(<"]?(?:\d{4}[-/]\d\d[-/]\d\d(?:[T ]\d\d:\d\d)?|\d\d[-/]\d\d[-/]\d{2,4} \d\d:\d\d|\d\d:\d\d:\d\d|\w{3} +\d{1,2} \d\d:\d\d:\d\d|(?:\w{3}, )?\d\d[ /]\w{3}[ /]\d{4}|\d{10}(?:\d{3})?(?:\.\d+)?[ \t:|\]])/;
const LEVEL =
  /^(?:\[?(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL|SEVERE)\]?[\s:|-]|[IWEF]\d{4} \d\d:\d\d|level=\w|time="?\d|<\d{1,3}>)/i;
const ACCESS = /^\S+ \S+ \S+ \[\d\d\/\w{3}\/\d{4}:/;

const FENCE = /^ {0,3}(?:```|~~~)/;
const LIST_ITEM = /^ *(?:[-*+•]|\d{1,3}[.)]) +\S/;
const HEADING = /^#{1,6} +\S/;
const UNDERLINE = /^(?:={3,}|-{3,}|~{4,})$/;
const TITLE = /^(?!\d{1,3}[.)] )[\w`[]/;
const DIRECTIVE = /^ *\.\. [\w:-]{2,40}::/;
const TABLE_RULE = /^ *(?:\| *)?:?-{3,}:? *\|/;
const LINK_OR_STRONG = /\[[^\]]{1,80}\]\([^)\s]{1,120}\)|\*\*[^*]{1,80}\*\*/;

const YAML_KEY =
  /^ *(?:- +)*(?:"[^"]{1,80}"|'[^']{1,80}'|[\w./@$-]{1,80}):(?: +(\S.*))?$|^ *- \{ ?[\w"']{1,80} ?: /;
const YAML_ITEM = /^ *-(?: |$)/;
const YAML_MARK = /^(?:---|\.\.\.|%YAML)(?: |$)/;
const YAML_TEXT = /(?:^|[ :])[|>][-+\d]{0,2}$/;
const MIN_KEYS = 3;
const KEY_SHARE = 0.4;
const MAX_OTHER_SHARE = 0.05;

const CODE_LINE =
  /[{};]$|[)\]],?$|\):$|,$|^[)\]}]|^(?:import|from|export|const|let|var|return|if|for|while|def|class|function|fn|func|pub|use|package|#include|#define|public|private|protected|static|self\.|this\.)\b/;
const CODE_COMMENT = /^(?:\/\/|\/\*|\*\/|#(?!include|define)|--)/;
const DOCSTRING = '"""';
const SENTENCE = /^[A-Z][a-z'’]\S* (?:\S+ ){4,}.*[^{};]$/;
const MIN_DEFINITIONS = 2;
const CODE_SHARE = 0.4;
const PROSE_SHARE = 0.5;
const HEADING_WEIGHT = 3;
const MAX_PROSE_INDENT = 3;

const XML_DECLARATION = /^\s*<\?xml\s/;
const HTML_START = /^\s*<(?:!doctype html|html)[\s>]/i;
const FIRST_TAG = /^\s*<([A-Za-z_][\w.:-]{0,80})[\s/>]/;
const HTML_ELEMENT = /^(?:html|head|body|div|p|table|ul|ol|span|main|section|article|form|nav)$/i;
const END_CHARACTERS = 200;

const HUNK = /^@@ -\d+(?:,\d+)? \+\d+/;
const MAX_LINES_BEFORE_DIFF = 60;

/** Examines the first 64 K characters, and the end of markup. In doubt, the more general kind wins. */
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
  if (isLog(filled)) return "log";
  if (isYaml(filled)) return "yaml";
  if (isCode(outside)) return "code";
  return isMarkdown(withoutComments(lines), filled.length) ? "markdown" : "text";
}

export type TextKind = Extract<
  ContentKind,
  "log" | "markdown" | "xml" | "html" | "yaml" | "code" | "diff" | "text"
>;

function markupKind(text: string): "xml" | "html" | undefined {
  const start = text.slice(0, SAMPLE_CHARACTERS);
  if (HTML_START.test(start)) return "html";
  if (XML_DECLARATION.test(start))
    return /<html[\s>]/i.test(start.slice(0, 1_000)) ? "html" : "xml";
  if (!/^\s*<[!\w]/.test(start)) return undefined;
  const [, name = ""] = FIRST_TAG.exec(afterComments(start)) ?? [];
  const end = text.slice(-END_CHARACTERS).trimEnd();
  if (name === "" || !end.endsWith(`</${name}>`)) return undefined;
  return HTML_ELEMENT.test(name) ? "html" : "xml";
}

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

function isDiff(lines: readonly string[]): boolean {
  const hunk = lines.findIndex((line) => HUNK.test(line));
  if (hunk < 2 || hunk > MAX_LINES_BEFORE_DIFF) return false;
  return (
    lines[hunk - 1]?.startsWith("+++ ") === true && lines[hunk - 2]?.startsWith("--- ") === true
  );
}

function unfenced(lines: readonly string[]): string[] {
  let isFenced = false;
  return lines.filter((line) => {
    const isFence = FENCE.test(line);
    if (isFence) isFenced = !isFenced;
    return !isFenced && !isFence;
  });
}

function withoutComments(lines: readonly string[]): string[] {
  let isComment = false;
  return lines.filter((line) => {
    const start = line.trimStart();
    if (start.startsWith("/*")) isComment = true;
    const wasComment = isComment;
    if (start.includes("*/")) isComment = false;
    if (start.split(DOCSTRING).length === 2) isComment = !isComment;
    return !wasComment && !isComment;
  });
}

function isLog(filled: readonly string[]): boolean {
  const stamped = filled.filter(
    (line) => TIME.test(line) || LEVEL.test(line) || ACCESS.test(line),
  ).length;
  return stamped >= 3 && stamped * 3 >= filled.length;
}

function isYaml(filled: readonly string[]): boolean {
  // JSON that is cut off.
  if (/^\s*[[{]/.test(filled[0] ?? "")) return false;
  let [count, keys, others, nested, own] = [0, 0, 0, 0, 0];
  let textIndent = Number.POSITIVE_INFINITY;
  let isMarked = false;
  let isOpen = false;
  for (const line of filled) {
    const indent = line.length - line.trimStart().length;
    // Ends like a line of an object in source code.
    if (/[^,][,;{]$/.test(line)) others += 1;
    if (/^ *#/.test(line) || indent > textIndent) continue;
    textIndent = Number.POSITIVE_INFINITY;
    count += 1;
    if (YAML_MARK.test(line)) {
      isMarked ||= count === 1;
      continue;
    }
    const key = YAML_KEY.exec(line);
    const isItem = YAML_ITEM.test(line);
    if (key === null && !isItem) {
      if (indent === 0 || count === 1) others += 1;
      continue;
    }
    if (YAML_TEXT.test(line)) textIndent = indent;
    if (key !== null) keys += 1;
    if (!isItem) own += 1;
    if (isItem ? isOpen : indent > 0) nested += 1;
    isOpen = key !== null && key[1] === undefined;
  }
  const areKeys = keys >= Math.max(MIN_KEYS, count * KEY_SHARE);
  return areKeys && others <= count * MAX_OTHER_SHARE && (isMarked || (nested >= 2 && own > 0));
}

function isCode(lines: readonly string[]): boolean {
  let [definitions, marked, filled, prose] = [0, 0, 0, 0];
  let before = "";
  for (const line of withoutComments(lines)) {
    const start = line.trimStart();
    const indent = line.length - start.length;
    const isHeading = /^#{2}/.test(line)
      ? HEADING.test(line) && before === ""
      : UNDERLINE.test(line);
    if (isHeading || DIRECTIVE.test(line)) prose += HEADING_WEIGHT;
    before = start;
    if (start === "" || CODE_COMMENT.test(start)) continue;
    filled += 1;
    if (definitionIn(start, indent, undefined) !== undefined) definitions += 1;
    const isProse = LIST_ITEM.test(start) || SENTENCE.test(start);
    if (isProse && indent <= MAX_PROSE_INDENT) prose += 1;
    else if (CODE_LINE.test(start)) marked += 1;
  }
  return (
    definitions >= MIN_DEFINITIONS && marked >= filled * CODE_SHARE && prose <= marked * PROSE_SHARE
  );
}

function isMarkdown(lines: readonly string[], filledCount: number): boolean {
  if (lines.some((line) => DIRECTIVE.test(line))) return false;
  const fences = lines.filter((line) => FENCE.test(line)).length;
  let [headings, items, others] = [0, 0, 0];
  let before = "";
  for (const line of unfenced(lines)) {
    if (before === "" ? HEADING.test(line) : UNDERLINE.test(line) && TITLE.test(before))
      headings += 1;
    else if (LIST_ITEM.test(line)) items += 1;
    else if (TABLE_RULE.test(line)) others += 1;
    if (LINK_OR_STRONG.test(line)) others += 1;
    before = line;
  }
  if (headings >= 1 && headings + fences + items + others >= 3) return true;
  if (fences >= 2 && items + others >= 1) return true;
  return items >= 3 && (items * 2 >= filledCount || others >= 2);
}
