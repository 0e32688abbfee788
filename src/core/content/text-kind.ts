import { definitionIn, opensType } from "./code-lines.js";
import type { ContentKind } from "../types/content.js";

const SAMPLE_CHARACTERS = 65_536;
const MAX_LINES = 1_000;
const LINE_CHARACTERS = 200;

/** How a line of a log begins: a time, a level, or an address of an access log. */
const STAMPS = [
  /^[[(<"]?(?:\d{4}[-/]\d\d[-/]\d\d(?:[T ]\d\d:\d\d)?|\d\d[-/]\d\d[-/]\d{2,4} \d\d:\d\d|\d\d:\d\d:\d\d|\w{3} +\d{1,2} \d\d:\d\d:\d\d|(?:\w{3}, )?\d\d[ /]\w{3}[ /]\d{4}|\d{10}(?:\d{3})?(?:\.\d+)?[ \t:|\]])/,
  /^(?:\[?(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL|SEVERE)\]?[\s:|-]|[IWEF]\d{4} \d\d:\d\d|level=\w|time="?\d|<\d{1,3}>)/i,
  /^\S+ \S+ \S+ \[\d\d\/\w{3}\/\d{4}:/,
  /^[DIWEFA], \[\d{4}-/,
];

const FENCE = /^ {0,3}(?:```|~~~)/;
const HEADING = /^#{1,6} +\S/;
const UNDERLINE = /^(?:={3,}|-{3,})$/;
/** An item of a list, a section, the rule of a table, a link or strong text. */
const MARKED =
  /^ *(?:[-*+•]|\d{1,3}[.)]) +\S|^#{2,6} +\S|^ *(?:\| *)?:?-{3,}:? *\||\[[^\]]{1,80}\]\([^)\s]{1,120}\)|\*\*[^*]{1,80}\*\*/;
const SCRIPT = /^#!/;
/** An item of a list, or a sentence. */
const PROSE = /^ {0,3}(?:(?:[-*+•]|\d{1,3}[.)]) +\S|[A-Z][a-z'’]\S* (?:\S+ ){4,}.*[^{};]$)/;
const MIN_MARKS = 3;

const YAML_KEY =
  /^ *(?:- +)*(?:"[^"]{1,80}"|'[^']{1,80}'|[\w./@$-]{1,80}):(?: |$)|^ *- \{ ?[\w"']{1,80} ?: /;
const YAML_NESTED = /^ +["'\w./@$-]{1,80}:(?: |$)|^["'\w./@$-]{1,80}:$/;
const YAML_ITEM = /^ *-(?: |$)/;
const YAML_MARK = /^(?:---|\.\.\.|%YAML)(?: |$)/;
/** Ends like a line of an object in source code. */
const CODE_END = /[^,][,;{]$/;
const MIN_KEYS = 3;
const KEY_SHARE = 0.4;
const MAX_OTHER_SHARE = 0.05;

const CODE_LINE =
  /[{};]$|[)\]],?$|\):$|,$|^[)\]}]|^(?:import|from|export|const|let|var|return|if|for|while|def|class|function|fn|func|pub|use|package|#include|#define|public|private|protected|static|self\.|this\.)\b/;
const CODE_COMMENT = /^\s*(?:\/\/|\*|#(?!include|define)|--)/;
const MIN_DEFINITIONS = 2;
const CODE_SHARE = 0.4;
const PROSE_SHARE = 0.5;

const XML_DECLARATION = /^\s*<\?xml\s/;
const HTML_START = /^\s*<(?:!doctype html|html)[\s>]/i;
const BEFORE_TAG = /^(?:\s*<!(?:--[^]*?--|[^>]*)>)+/;
const FIRST_TAG = /^\s*<([A-Za-z_][\w.:-]{0,80})[\s/>]/;
const HTML_ELEMENT = /^(?:html|head|body|div|p|table|ul|ol|span|main|section|article|form|nav)$/i;
const END_CHARACTERS = 200;

const HUNK = /^@@ -\d+(?:,\d+)? \+\d+/;
const MAX_LINES_BEFORE_DIFF = 60;

/** Examines the first 64 K characters, and the end of markup. In doubt, the more general kind wins. */
export function textKind(text: string): TextKind {
  const sample = text.slice(0, SAMPLE_CHARACTERS);
  const markup = markupKind(sample, text.slice(-END_CHARACTERS).trimEnd());
  if (markup !== undefined) return markup;
  const lines = linesOf(sample);
  const filled = lines.filter((line) => line !== "");
  if (isDiff(unfenced(lines))) return "diff";
  if (isLog(filled)) return "log";
  if (isYaml(filled)) return "yaml";
  const uncommented = linesOf(withoutComments(sample));
  if (isCode(unfenced(uncommented))) return "code";
  return isMarkdown(uncommented) ? "markdown" : "text";
}

function linesOf(text: string): string[] {
  return text.split("\n", MAX_LINES).map((line) => line.slice(0, LINE_CHARACTERS).trimEnd());
}

export type TextKind = Extract<
  ContentKind,
  "log" | "markdown" | "xml" | "html" | "yaml" | "code" | "diff" | "text"
>;

function markupKind(start: string, end: string): "xml" | "html" | undefined {
  if (HTML_START.test(start)) return "html";
  if (XML_DECLARATION.test(start))
    return /<html[\s>]/i.test(start.slice(0, 1_000)) ? "html" : "xml";
  const [, name = ""] = FIRST_TAG.exec(start.replace(BEFORE_TAG, "")) ?? [];
  if (name === "" || !end.endsWith(`</${name}>`)) return undefined;
  return HTML_ELEMENT.test(name) ? "html" : "xml";
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

/** Without block comments and docstrings. */
function withoutComments(text: string): string {
  const [first = "", ...others] = text.split("/*");
  const rest = others.map((other) => other.slice(other.indexOf("*/") + 2));
  const parts = [first, ...rest].join("").split('"""');
  return parts.filter((_, index) => index % 2 === 0).join("");
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
  const keys = countOf(lines, YAML_KEY);
  const parts = lines.filter((line) => YAML_KEY.test(line) || YAML_ITEM.test(line)).length;
  const others = lines.filter((line) => {
    const isPart = line.startsWith(" ") || YAML_KEY.test(line) || YAML_ITEM.test(line);
    return CODE_END.test(line) || !(isPart || YAML_MARK.test(line));
  }).length;
  const isNested = YAML_MARK.test(first) || countOf(lines, YAML_NESTED) > 0;
  const areKeys = keys >= MIN_KEYS && parts >= lines.length * KEY_SHARE;
  return areKeys && isNested && others <= lines.length * MAX_OTHER_SHARE;
}

function isCode(lines: readonly string[]): boolean {
  const filled = lines.filter((line) => line !== "" && !CODE_COMMENT.test(line));
  let around: string | undefined;
  const definitions = filled.filter((line) => {
    const start = line.trimStart();
    const isOne = definitionIn(start, line.length - start.length, around) !== undefined;
    if (isOne && opensType(start)) around = start;
    return isOne;
  }).length;
  const prose = countOf(filled, PROSE);
  const others = filled.filter((line) => !PROSE.test(line));
  const marked = others.filter((line) => CODE_LINE.test(line.trimStart())).length;
  return (
    definitions >= MIN_DEFINITIONS &&
    marked >= filled.length * CODE_SHARE &&
    prose <= marked * PROSE_SHARE
  );
}

function isMarkdown(lines: readonly string[]): boolean {
  if (SCRIPT.test(lines[0] ?? "")) return false;
  const outside = unfenced(lines);
  const headings = outside.filter((line, at) =>
    (outside[at - 1] ?? "") === "" ? HEADING.test(line) : UNDERLINE.test(line),
  ).length;
  const marks = countOf(lines, FENCE) + countOf(outside, MARKED);
  // Lines that begin with one # are comments in many languages.
  const isSure = marks > 0 || countOf(outside, PROSE) > 0;
  return headings > 0 && isSure && headings + marks >= MIN_MARKS;
}

function countOf(lines: readonly string[], pattern: RegExp): number {
  return lines.filter((line) => pattern.test(line)).length;
}
