import type { Evidence } from "./evidence.js";

const LEVEL =
  /^(?:##)?[[(<|]*(?:[\w.-]+[.:])?(TRACE|TRCE|TRC|DEBUG|DEBU|DBUG|DBG|INFO|INF|INFORMATION|NOTICE|WARN|WARNING|WRN|ERR|ERRO|ERROR|FATAL|FATA|FTL|CRITICAL|CRIT|SEVERE|PANIC|EMERG|EMERGENCY|ALERT|FAIL)(?:[\])>|:,]|\[\w+\]:?)*$/i;
const OF_TIME =
  /^(?:mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|[ap]m)$/i;

/** The level of a line as it is written, where the format has a place for it: behind the time and the source, or marked. */
function levelOf(line: string): string | undefined {
  const glog = /^([IWEF])\d{4}(?:\d{4})? /.exec(line)?.[1];
  if (glog !== undefined) return glog;
  const marked = /\b(?:level|lvl|severity)"?[=:] ?"?(\w+)/i.exec(line)?.[1] ?? "";
  const words = line.split(/[ \t]+/).filter((word) => word !== "");
  let plain = 0;
  for (const word of [marked, ...words.slice(0, 14)]) {
    const name = LEVEL.exec(word)?.[1];
    const isMarked =
      word === marked || /^(?:##)?[[(<|]|[\])>|:]$/.test(word) || name?.toUpperCase() === name;
    if (name !== undefined && isMarked) return name;
    // Dates, clocks, hosts, processes and threads have digits or marks; one word may be a source without any.
    if (/^[A-Za-z']+[.,;!?]?$/.test(word) && !OF_TIME.test(word)) plain += 1;
    if (plain > 1 || (plain === 1 && words.indexOf(word) > 3)) return undefined;
  }
  return undefined;
}

/** How many lines have each level, and which is the first. */
export function levelsTruth(
  counts: ReadonlyMap<string, readonly [count: number, firstLine: number]>,
  { lines }: Evidence,
): string | undefined {
  const levels = lines.map(levelOf);
  for (const [level, [count, first]] of counts) {
    const found = levels.filter((one) => one === level).length;
    const at = levels.indexOf(level) + 1;
    if (found !== count || at !== first) return `${level} ${found}, first in line ${at}`;
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
