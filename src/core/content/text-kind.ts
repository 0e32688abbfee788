import { definitionIn, opensType } from "./code-lines.js";
import { plainText } from "../../util/safe-text.js";
import type { ContentKind } from "../types/content.js";

const SAMPLE_CHARACTERS = 65_536;
const MAX_LINES = 1_000;
const LINE_CHARACTERS = 200;

/** How a line of a log begins: a time (as seconds only from 2008 to 2033), a level, or an address of an access log. */
const STAMPS = [
  /^[[(<"]?(?:\d{4}[-/]\d\d[-/]\d\d(?:[T ]\d\d:\d\d)?|\d\d[-/]\d\d[-/]\d{2,4} \d\d:\d\d|\d\d:\d\d:\d\d|\w{3} +\d{1,2} \d\d:\d\d:\d\d|(?:\w{3}, )?\d\d[ /]\w{3}[ /]\d{4}|1[2-9]\d{8}(?:\d{3})?(?:\.\d+)?[ \t:|\]])/,
  /^(?:\[?(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL|SEVERE)\]?[\s:|-]|[IWEF]\d{4} \d\d:\d\d|level=\w|time="?\d|<\d{1,3}>)/i,
  /^\S+ \S+ \S+ \[\d\d\/\w{3}\/\d{4}:/,
  /^[DIWEFA], \[\d{4}-/,
];

const FENCE = /^ {0,3}```/;
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
/** Ends like a line of an object in source code, or has two pairs in a line. */
const NO_YAML = /[^,][,;{]$|^ *[\w.-]+: +[^\s"'{[#:][^"'{[#:]*: /;
const MIN_KEYS = 3;
const KEY_SHARE = 0.4;
const MAX_OTHER_SHARE = 0.05;

const CODE_LINE =
  /[{};]$|[)\]],?$|\):$|,$|^[)\]}]|^(?:import|from|export|const|let|var|return|if|for|while|def|class|function|fn|func|pub|use|package|#include|#define|public|private|protected|static|self\.|this\.)\b/;
const CODE_COMMENT = /^\s*(?:\/\/|\/\*|\*\/|#(?!include|define)|--)/;
const DOCSTRING = '"""';
const SECTION = /^#{2,6} +\S/;
/** An item of a list, or a sentence. */
const PROSE = /^ {0,3}(?:(?:[-*+•]|\d{1,3}[.)]) +\S|[A-Z][a-z'’]\S* (?:\S+ ){4,}.*[^{};]$)/;
const MIN_DEFINITIONS = 2;
const CODE_SHARE = 0.4;
const PROSE_SHARE = 0.5;

const XML_DECLARATION = /^\s*<\?xml\s/;
const HTML_START = /^\s*<(?:!doctype html|html)[\s>]/i;
const COMMENTS = /^(?:\s*<!(?:--[^]*?-->|(?!--)[^>]*>))+/;
const FIRST_TAG = /^\s*<([A-Za-z_][\w.:-]{0,80})[\s/>]/;
const HTML_ELEMENT = /^(?:html|head|body|div|p|table|ul|ol|span|main|section|article|form|nav)$/i;
const MARKDOWN_SECTION = /^## /m;
const END_CHARACTERS = 200;

const DIFF = /^--- .{0,200}\n\+\+\+ .{0,200}\n@@ -\d{1,9}(?:,\d{1,9})? \+\d/m;
const MAX_LINES_TO_HUNK = 61;

/** Examines the first 64 K characters, and the end of markup. In doubt, the more general kind wins. */
export function textKind(text: string): ContentKind {
  const markup = markupKind(text);
  if (markup !== undefined) return markup;
  const lines = plainText(text.slice(0, SAMPLE_CHARACTERS))
    .split("\n", MAX_LINES)
    .map((line) => line.slice(0, LINE_CHARACTERS).trimEnd());
  const filled = lines.filter((line) => line !== "");
  const outside = unfenced(lines);
  const isGit = /^(?:diff --git|commit|From) /.test(text);
  if (DIFF.test(outside.slice(0, isGit ? undefined : MAX_LINES_TO_HUNK).join("\n"))) return "diff";
  if (isLog(filled)) return "log";
  if (isYaml(filled)) return "yaml";
  if (isCode(outside)) return "code";
  return isMarkdown(withoutComments(lines)) ? "markdown" : "text";
}

function markupKind(text: string): "xml" | "html" | undefined {
  const start = text.slice(0, SAMPLE_CHARACTERS);
  if (HTML_START.test(start)) return "html";
  if (XML_DECLARATION.test(start))
    return /<html[\s>]/i.test(start.slice(0, 1_000)) ? "html" : "xml";
  if (!/^\s*<[!\w]/.test(start)) return undefined;
  const [, name = ""] = FIRST_TAG.exec(start.replace(COMMENTS, "")) ?? [];
  const end = text.slice(-END_CHARACTERS).trimEnd();
  if (name === "" || !end.endsWith(`</${name}>`)) return undefined;
  if (!HTML_ELEMENT.test(name)) return "xml";
  // Markdown may begin and end with such an element.
  return MARKDOWN_SECTION.test(start) ? undefined : "html";
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
  const stamped = filled.filter((line) => STAMPS.some((stamp) => stamp.test(line))).length;
  return stamped >= 3 && stamped * 3 >= filled.length;
}

function isYaml(filled: readonly string[]): boolean {
  const lines = filled.filter((line) => !/^ *#/.test(line));
  const [first = ""] = lines;
  // JSON that is cut off.
  if (/^\s*[[{]/.test(first)) return false;
  let [keys, listed, others, nested, own] = [0, 0, 0, 0, 0];
  let isOpen = false;
  for (const line of lines) {
    const key = YAML_KEY.exec(line);
    const isItem = YAML_ITEM.test(line);
    const isListed: boolean = isItem && isOpen;
    const isIndented = line.startsWith(" ");
    const isPart = key !== null || isItem || isIndented || YAML_MARK.test(line);
    // YAML has no line that is neither a key, an item nor indented, so such a line weighs more.
    if (!isPart || NO_YAML.test(line)) others += isPart ? 1 : 4;
    if (key !== null) keys += 1;
    else if (isListed) listed += 1;
    if (key !== null && !isItem) own += 1;
    if (isItem ? isListed : key !== null && isIndented) nested += 1;
    isOpen = isListed || (key !== null && key[1] === undefined);
  }
  const areKeys = keys >= MIN_KEYS && keys + listed >= lines.length * KEY_SHARE;
  const isNested = YAML_MARK.test(first) || (nested >= 2 && own > 0);
  return areKeys && isNested && others <= lines.length * MAX_OTHER_SHARE;
}

function isCode(outside: readonly string[]): boolean {
  const lines = withoutComments(outside);
  const filled = lines.filter((line) => !/^\s*$/.test(line) && !CODE_COMMENT.test(line));
  let around: string | undefined;
  const definitions = filled.filter((line) => {
    const start = line.trimStart();
    const isOne = definitionIn(start, line.length - start.length, around) !== undefined;
    if (isOne && opensType(start)) around = start;
    return isOne;
  }).length;
  const sentences = countOf(filled, PROSE);
  const marked = filled.filter(
    (line) => !PROSE.test(line) && CODE_LINE.test(line.trimStart()),
  ).length;
  return (
    definitions >= MIN_DEFINITIONS &&
    marked >= filled.length * CODE_SHARE &&
    sentences <= marked * PROSE_SHARE &&
    countOf(lines, DIRECTIVE) === 0
  );
}

function isMarkdown(lines: readonly string[]): boolean {
  const outside = unfenced(lines);
  const fences = countOf(lines, FENCE);
  const headings = outside.filter((line, at) => {
    const before = outside[at - 1] ?? "";
    return before === "" ? HEADING.test(line) : UNDERLINE.test(line) && TITLE.test(before);
  }).length;
  const items = countOf(outside, LIST_ITEM);
  const others = countOf(outside, TABLE_RULE) + countOf(outside, LINK_OR_STRONG);
  if (countOf(lines, DIRECTIVE) > 0) return false;
  // Lines that begin with one # are comments in many languages.
  const sure = countOf(outside, SECTION) + countOf(outside, UNDERLINE) + countOf(outside, PROSE);
  const areHeadings = headings >= 1 && sure + fences + items + others >= headings;
  return areHeadings && headings + fences + items + others >= 3;
}

function countOf(lines: readonly string[], pattern: RegExp): number {
  return lines.filter((line) => pattern.test(line)).length;
}
