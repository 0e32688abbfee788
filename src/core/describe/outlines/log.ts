import { shorten } from "../../../util/safe-text.js";
import { readMessage } from "./log-words.js";
import { isBad, otherLevel, severityOf } from "./log-levels.js";
import { createTimes, splitTime } from "./log-times.js";
import { createLineTemplates } from "./line-templates.js";
import type { Outline } from "./outline.js";
import type { LineReader } from "./text-parts.js";
import { grouped } from "../../../util/amounts.js";

/** What JavaScript throws: with frames below it, a part of the entry that it stands in. */
const THROWN = /^Error: /;
const FRAME = /^\s{1,12}at \S/;

/** What is compared of a line's message. */
const MESSAGE_CHARACTERS = 140;
const SHOWN_CHARACTERS = 90;
/** Of a text that is not known for a log, the lines that must have a time or be alike. */
const LOG_SHARE = 0.6;

/** A line with an error. */
interface Entry {
  readonly line: number;
  readonly text: string;
}

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
  let lastBad: Entry | undefined;
  /** What is counted unless frames come next. */
  let thrown: Entry | undefined;
  let [lines, timed] = [0, 0];

  function count(level: string, line: number, text: string): void {
    levels.set(level, (levels.get(level) ?? 0) + 1);
    if (isBad(level)) lastBad = { line, text };
  }

  function countThrown(): void {
    if (thrown !== undefined) count("ERROR", thrown.line, thrown.text);
    thrown = undefined;
  }

  return {
    take(line, number) {
      if (line.trim() === "") return;
      lines += 1;
      if (thrown !== undefined && FRAME.test(line)) thrown = undefined;
      countThrown();
      firstLine ??= `line ${number}: ${shown(line)}`;
      const { time, message } = splitTime(line);
      if (time !== undefined) {
        timed += 1;
        times.add(time);
      }
      const { level = otherLevel(line), text } = readMessage(
        message.slice(0, MESSAGE_CHARACTERS).trim(),
      );
      if (level === "ERROR" && time === undefined && THROWN.test(line))
        thrown = { line: number, text: message };
      else if (level !== undefined) count(level, number, message);
      templates.add(text, number, severityOf(level));
    },
    isLikelyLog: () => Math.max(timed, templates.repeated()) >= lines * LOG_SHARE && lines > 10,
    outline() {
      const entries = templates.entries();
      const range = times.text();
      countThrown();
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

function shown(text: string): string {
  return shorten(text.trim(), SHOWN_CHARACTERS);
}

function levelsText(levels: ReadonlyMap<string, number>): string {
  return [...levels]
    .toSorted(([, one], [, other]) => other - one)
    .map(([level, count]) => `${level} ${grouped(count)}`)
    .join(", ");
}
