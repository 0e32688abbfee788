import type { Evidence } from "./evidence.js";

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

/** How many lines have each level, and which is the first. */
export function levelsTruth(
  counts: ReadonlyMap<string, readonly [count: number, firstLine: number]>,
  { lines }: Evidence,
): string | undefined {
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

/** What is said of the times of a log. */
interface ToldTimes {
  readonly count: number;
  readonly first: string;
  readonly last: string;
  readonly firstLine: number;
  readonly lastLine: number;
}

/** As many lines as are said, or more, have a time in the form of the first one; no line before or behind has one. */
export function timesTruth(
  { count, first, last, firstLine, lastLine }: ToldTimes,
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
