import { shorten } from "../../util/safe-text.js";
import { readMessage } from "./log-words.js";
import { createTimes } from "./log-times.js";
import { createLineTemplates } from "./line-templates.js";
import type { Outline } from "./outline.js";
import type { LineReader } from "./text-parts.js";
import { grouped } from "../../util/amounts.js";

const TIME =
  /^[^\d\w]{0,2}(\d{4}[-/]\d\d[-/]\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?: ?Z|[+-]\d\d:?\d\d)?)?|\w{3} {1,2}\d{1,2} \d\d:\d\d:\d\d|\d\d:\d\d:\d\d(?:[.,]\d{1,9})?|\d\d[-/]\d\d[-/]\d{2,4} \d\d:\d\d(?::\d\d)?|\d{10}(?:\d{3})?(?:\.\d{1,9})?(?=[ \t:|\]]))/;
const BRACKET_TIME = /\[(\d\d\/\w{3}\/\d{4}:\d\d:\d\d:\d\d(?: [+-]\d{4})?)\]/;
const SHORT_LEVEL = /^([IWEF])\d{4} /;
const STATUS = /^" ([1-5])\d\d (?:\d|-)/;
const SHORT_NAMES: Readonly<Record<string, string>> = {
  I: "INFO",
  W: "WARN",
  E: "ERROR",
  F: "FATAL",
};
const BAD = new Set(["ERROR", "FATAL", "CRITICAL", "SEVERE", "PANIC", "EMERG", "ALERT"]);

/** Where a line's time is looked for; what is compared of its message. */
const HEAD_CHARACTERS = 100;
const MESSAGE_CHARACTERS = 140;
const SHOWN_CHARACTERS = 90;
/** Of a text that is not known for a log, the lines that must have a time or be alike. */
const LOG_SHARE = 0.6;

/** What a log reader has found. */
export interface LogReader extends LineReader {
  readonly outline: () => Outline | undefined;
  /** Whether most lines have a time or are like others. */
  readonly isLikelyLog: () => boolean;
}

/** Reads what a log says most: its times, its levels, the kinds of its lines. */
export function logReader(): LogReader {
  const levels = new Map<string, number>();
  const templates = createLineTemplates();
  const times = createTimes();
  let firstLine: string | undefined;
  let lastBad: { readonly line: number; readonly text: string } | undefined;
  let [lines, timed] = [0, 0];

  return {
    take(line, number) {
      if (line.trim() === "") return;
      lines += 1;
      firstLine ??= `line ${number}: ${shown(line)}`;
      const { time, message } = splitTime(line);
      if (time !== undefined) {
        timed += 1;
        times.add(time);
      }
      const { level = otherLevel(line), text } = readMessage(
        message.slice(0, MESSAGE_CHARACTERS).trim(),
      );
      if (level !== undefined) levels.set(level, (levels.get(level) ?? 0) + 1);
      if (level !== undefined && BAD.has(level)) lastBad = { line: number, text: message };
      templates.add(text, number, severityOf(level));
    },
    isLikelyLog: () => Math.max(timed, templates.repeated()) >= lines * LOG_SHARE && lines > 10,
    outline() {
      const entries = templates.entries();
      const range = times.text();
      if (timed === 0 && levels.size === 0 && entries.length === 0) return undefined;
      return {
        facts: [
          ...(range === undefined ? [] : [range]),
          ...(levels.size === 0 ? [] : [levelsText(levels)]),
          ...(lastBad ? [`last error, line ${lastBad.line}: ${shown(lastBad.text)}`] : []),
          ...(firstLine === undefined ? [] : [firstLine]),
          ...(entries.length === 0 ? [] : ["lines by kind, * and # for what varies:"]),
        ],
        entries,
        total: templates.total(),
        noun: "kinds of lines",
        hasLines: false,
      };
    },
  };
}

/** The time that a line begins with, or that stands after its first word or in brackets, and what comes after it. */
function splitTime(line: string): { readonly time: string | undefined; readonly message: string } {
  const word = line.indexOf(" ") + 1;
  const start = TIME.exec(line);
  const stamp = start ?? (word > 0 && word < 50 ? TIME.exec(line.slice(word)) : null);
  if (stamp !== null) {
    const before = start === null ? line.slice(0, word) : "";
    return { time: stamp[1], message: before + line.slice(before.length + stamp[0].length) };
  }
  return { time: BRACKET_TIME.exec(line.slice(0, HEAD_CHARACTERS))?.[1], message: line };
}

function shown(text: string): string {
  return shorten(text.trim(), SHOWN_CHARACTERS);
}

/** 0 for errors, 1 for warnings, 2 for others. */
function severityOf(level: string | undefined): number {
  if (level === undefined) return 2;
  return BAD.has(level) ? 0 : level === "WARN" ? 1 : 2;
}

/** The level of a line that does not name it. */
function otherLevel(line: string): string | undefined {
  const short = SHORT_LEVEL.exec(line)?.[1];
  if (short !== undefined) return SHORT_NAMES[short];
  const quote = line.indexOf('" ');
  const status = quote === -1 ? undefined : STATUS.exec(line.slice(quote, quote + 8))?.[1];
  return status === undefined ? undefined : `status ${status}xx`;
}

function levelsText(levels: ReadonlyMap<string, number>): string {
  return [...levels]
    .toSorted(([, one], [, other]) => other - one)
    .map(([level, count]) => `${level} ${grouped(count)}`)
    .join(", ");
}
