import MarkdownIt from "markdown-it";
import type { Claim, ClaimOf } from "../claim.js";
import type { Evidence } from "./evidence.js";
import { htmlTruth } from "./markup.js";
import { changedTruth, changesTruth, definitionTruth, diffOf, isShown, wordsOf } from "./parts.js";

/** A heading as a parser finds it. */
interface Heading {
  readonly line: number;
  readonly level: number;
  readonly text: string;
  readonly mark: string;
}

const headingsOf = new WeakMap<Evidence, readonly Heading[] | undefined>();

/** The headings of Markdown and HTML; `undefined` of a text, whose headings are only told by how they look. */
function allHeadings(evidence: Evidence): readonly Heading[] | undefined {
  if (headingsOf.has(evidence)) return headingsOf.get(evidence);
  const found =
    evidence.kind === "markdown"
      ? markdownHeadings(evidence)
      : evidence.kind === "html"
        ? htmlTruth(evidence.raw).headings.map((heading) => ({ ...heading, mark: "" }))
        : undefined;
  headingsOf.set(evidence, found);
  return found;
}

function markdownHeadings({ raw, lines }: Evidence): readonly Heading[] {
  const isFront = lines[0] === "---";
  const front = isFront
    ? lines.findIndex((line, at) => at > 0 && /^(?:---|\.\.\.)$/.test(line)) + 1
    : 0;
  const text = raw
    .split("\n")
    .map((line, at) => (at < front ? "" : line))
    .join("\n");
  const tokens = new MarkdownIt({ html: true }).parse(text, {});
  return tokens.flatMap((token, at): readonly Heading[] => {
    const line = (token.map?.[0] ?? 0) + 1;
    // What stands in a list or a quotation heads no part of the text.
    if (token.level > 0) return [];
    if (token.type === "heading_open") {
      const inline = tokens[at + 1];
      const words = (inline?.children ?? [])
        .map(({ type, content }) =>
          type === "text" || type === "code_inline" ? content : type.endsWith("break") ? " " : "",
        )
        .join("");
      const mark =
        token.markup.length === 1 && /[=-]/.test(token.markup)
          ? token.markup.repeat(3)
          : token.markup;
      return [
        {
          line: inline?.map ? inline.map[0] + 1 : line,
          level: Number(token.tag[1]),
          text: words,
          mark,
        },
      ];
    }
    // Headings of HTML are none of Markdown's.
    return [];
  });
}

function headingTruth(
  { line, depth, text, lines }: ClaimOf<"heading">,
  evidence: Evidence,
  shown: readonly ClaimOf<"heading">[],
): string | undefined {
  const all = allHeadings(evidence);
  if (all === undefined)
    return isShown(text, evidence.lines[line - 1] ?? "")
      ? undefined
      : `line ${line} is ${evidence.lines[line - 1]?.slice(0, 40)}`;
  const at = all.findIndex((heading) => heading.line === line);
  const found = all[at];
  if (found === undefined) return "no heading is there";
  if (!isShown(text, found.text)) return `the heading is ${found.text.slice(0, 40)}`;
  const odd = shown.find((other) => {
    const level = all.find((heading) => heading.line === other.line)?.level;
    return level !== undefined && Math.sign(level - found.level) !== Math.sign(other.depth - depth);
  });
  if (odd !== undefined) return `level ${found.level}, beside line ${odd.line}`;
  const next = all.slice(at + 1).find(({ level }) => level <= found.level);
  const last = evidence.raw.endsWith("\n") ? evidence.lines.length - 1 : evidence.lines.length;
  const count = (next?.line ?? last + 1) - line;
  return lines === undefined || lines === count ? undefined : `${count} lines`;
}

function totalTruth({ noun, count }: ClaimOf<"total">, evidence: Evidence): string | undefined {
  if (noun === "diffs")
    return diffOf(evidence).length === count ? undefined : `${diffOf(evidence).length} in all`;
  const all = allHeadings(evidence);
  return all === undefined || all.length === count ? undefined : `${all.length} in all`;
}

const LEVEL =
  /^(?:##)?[[(<|]*(?:[\w.-]+[.:])?(TRACE|TRCE|TRC|DEBUG|DEBU|DBUG|DBG|INFO|INF|INFORMATION|NOTICE|WARN|WARNING|WRN|ERR|ERRO|ERROR|FATAL|FATA|FTL|CRITICAL|CRIT|SEVERE|PANIC|EMERG|EMERGENCY|ALERT|FAIL)(?:[\])>|:,]|\[\w+\]:?)*$/i;
const NAMES: Readonly<Record<string, string>> = {
  TRCE: "TRACE",
  TRC: "TRACE",
  DEBU: "DEBUG",
  DBUG: "DEBUG",
  DBG: "DEBUG",
  INF: "INFO",
  INFORMATION: "INFO",
  WARNING: "WARN",
  WRN: "WARN",
  ERR: "ERROR",
  ERRO: "ERROR",
  FAIL: "ERROR",
  FATA: "FATAL",
  FTL: "FATAL",
  CRIT: "CRITICAL",
  EMERGENCY: "EMERG",
};
const GLOG: Readonly<Record<string, string>> = { I: "INFO", W: "WARN", E: "ERROR", F: "FATAL" };

/** The level of a line, where the format has a place for it: behind the time and the source, or marked. */
function levelOf(line: string): string | undefined {
  const glog = /^([IWEF])\d{4}(?:\d{4})? /.exec(line)?.[1];
  if (glog !== undefined) return GLOG[glog];
  const npm = /^npm (warn|error) /.exec(line)?.[1];
  if (npm !== undefined) return NAMES[npm.toUpperCase()] ?? npm.toUpperCase();
  const marked = /\b(?:level|lvl|severity)"?[=:] ?"?(\w+)/i.exec(line)?.[1] ?? "";
  const status = /" ([1-5])\d\d (?:\d|-)/.exec(line)?.[1];
  const words = line.split(/[ \t]+/).filter((word) => word !== "");
  let plain = 0;
  for (const word of [marked, ...words.slice(0, 14)]) {
    const name = LEVEL.exec(word)?.[1];
    const isMarked =
      word === marked || /^(?:##)?[[(<|]|[\])>|:]$/.test(word) || name?.toUpperCase() === name;
    if (name !== undefined && isMarked) return NAMES[name.toUpperCase()] ?? name.toUpperCase();
    // Dates, clocks, hosts, processes and threads have digits or marks; one word may be a source without any.
    if (
      word !== "" &&
      /^[A-Za-z']+[.,;!?]?$/.test(word) &&
      !/^(?:mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|[ap]m)$/i.test(
        word,
      )
    )
      plain += 1;
    if (plain > 1 || (plain === 1 && words.indexOf(word) > 3)) break;
  }
  return status === undefined ? undefined : `status ${status}xx`;
}

function levelsTruth({ counts }: ClaimOf<"levels">, { lines }: Evidence): string | undefined {
  const found = new Map<string, number[]>();
  for (const [at, line] of lines.entries()) {
    const level = levelOf(line);
    if (level !== undefined) found.set(level, [...(found.get(level) ?? []), at + 1]);
  }
  for (const [level, [count, first]] of counts) {
    const name = level.toUpperCase();
    const asWritten = new RegExp(String.raw`\b${level}\b`);
    const own = (found.get(NAMES[name] ?? name) ?? []).filter((at) =>
      asWritten.test(lines[at - 1] ?? ""),
    );
    if (own.length !== count || own[0] !== first)
      return `${level} ${own.length}, first in line ${own[0]}`;
  }
  return undefined;
}

/** As many lines as are said, or more, have a time in the form of the first one; no line before or behind has one. */
function timesTruth(
  { count, first, last, lines: [firstLine, lastLine] }: ClaimOf<"times">,
  { lines }: Evidence,
): string | undefined {
  if (!lines[firstLine - 1]?.includes(first) || !lines[lastLine - 1]?.includes(last))
    return "it is not there";
  const form = (text: string): string =>
    text.replaceAll(/\d+/g, "0").replaceAll(/[A-Z][a-z]{2}/g, "M");
  // Seconds stand at the beginning of a line; elsewhere they may be any number.
  const pattern = new RegExp(
    (/^\d+$/.test(first) ? String.raw`(?<=^\W{0,2})` : "") +
      form(first)
        .replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
        .replaceAll("0", String.raw`\d+`)
        .replaceAll("M", "[A-Z][a-z]{2}"),
  );
  const times = lines.filter((line) => pattern.test(line.slice(0, 140))).length;
  if (form(first) === form(last) && times < count) return `${times} lines`;
  return undefined;
}

/** `undefined` where a claim about a text is true, else what is true; `false` for one of another kind. */
export function textTruth(
  claim: Claim,
  evidence: Evidence,
  all: readonly Claim[],
): string | undefined | false {
  const { raw, lines } = evidence;
  switch (claim.kind) {
    case "begins": {
      const [head = "", rest = ""] = claim.text.split("\n…\n");
      return raw.startsWith(head.replace(/…$/, "")) && raw.includes(rest)
        ? undefined
        : "it begins otherwise";
    }
    case "ends":
      return raw.trimEnd().endsWith(claim.text.replace(/^…/, "")) ? undefined : "it ends otherwise";
    case "mentions":
      return raw.includes(claim.text.replace(/…$/, "")) ? undefined : "it is nowhere";
    case "title":
      return isShown(claim.text, htmlTruth(raw).title)
        ? undefined
        : htmlTruth(raw).title.slice(0, 60);
    case "line":
      return wordsOf(lines[claim.line - 1] ?? "").includes(wordsOf(claim.text))
        ? undefined
        : (lines[claim.line - 1]?.slice(0, 60) ?? "no such line");
    case "heading":
      return headingTruth(
        claim,
        evidence,
        all.filter((one) => one.kind === "heading"),
      );
    case "first-heading": {
      const first = allHeadings(evidence)?.[0]?.line ?? claim.line;
      return first === claim.line ? undefined : `line ${first}`;
    }
    case "total":
      return totalTruth(claim, evidence);
    case "times":
      return timesTruth(claim, evidence);
    case "levels":
      return levelsTruth(claim, evidence);
    case "tags": {
      const { counts } = htmlTruth(raw);
      const wrong = [...claim.counts].find(([name, count]) => counts.get(name) !== count);
      return wrong && `${wrong[0]} ${counts.get(wrong[0])}`;
    }
    case "table":
      return tableTruth(raw, claim);
    case "changes":
      return changesTruth(claim, evidence);
    case "changed-file":
      return changedTruth(claim, evidence);
    case "definition":
      return definitionTruth(claim, evidence);
    default:
      return false;
  }
}

/** The rows of a table that begins in a line, those of tables in it apart, and whether its words are there. */
function tableTruth(raw: string, claim: ClaimOf<"table">): string | undefined {
  const from = raw
    .split("\n")
    .slice(claim.line - 1)
    .join("\n");
  let depth = 0;
  let [rows, inside] = [0, ""];
  for (const [, tag = "", words = ""] of from.matchAll(/<(\/?[a-z][a-z0-9]*)[^>]*>([^<]*)/gi)) {
    const name = tag.toLowerCase();
    if (name === "table") depth += 1;
    if (name === "/table" && (depth -= 1) <= 0) break;
    if (name === "tr" && depth === 1) rows += 1;
    if (depth > 0) inside += words;
  }
  if (rows !== claim.rows) return `${rows} rows`;
  const text = plainWords(inside);
  return claim.headers.find(
    (header) => !header.includes("&") && !text.includes(plainWords(header)),
  );
}

function plainWords(text: string): string {
  return text.replaceAll(/&[#\w]+;|\s+/g, "");
}
