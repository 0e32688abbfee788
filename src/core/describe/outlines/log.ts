import { grouped } from "../../../util/amounts.js";
import { shorten } from "../../../util/safe-text.js";
import type { OutlineReader } from "./text-parts.js";

const CLOCK = String.raw`\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?`;
const ZONE = String.raw`(?: ?Z(?!\w)| ?[-+]\d\d:?\d\d(?!\d)| UTC)`;
/** ISO, web servers, month and day, seconds since 1970, clock. */
const TIME = [
  String.raw`\d{4}[-/]\d\d[-/]\d\d[T ]${CLOCK}${ZONE}?`,
  String.raw`\d\d[/-][A-Z][a-z]{2}[/-]\d{4}[: ]${CLOCK}${ZONE}?`,
  String.raw`(?:[A-Z][a-z]{2} )?[A-Z][a-z]{2} [ \d]\d ${CLOCK}(?: \d{4})?`,
  String.raw`\d{10}(?:\d{3}|\.\d{1,9})?(?=[ \t|\]])`,
  String.raw`\d\d:\d\d:\d\d(?:[.,]\d{1,9})?`,
].join("|");
const AT_START = new RegExp(String.raw`^\W{0,2}(?:(?:time|ts)="?)?(${TIME})`);
const IN_BRACKETS = new RegExp(String.raw`\[(${TIME})\]`);
const HEAD_CHARACTERS = 140;

const LEVEL =
  /^[[(<|]{0,2}(?:\w{1,20}[=:]"?)?(TRACE|TRC|DEBUG|DBG|INFO|INF|NOTICE|WARN(?:ING)?|WRN|ERR(?:OR)?|FATAL|FTL|CRIT(?:ICAL)?|SEVERE|PANIC|EMERG|ALERT)["\])>:|,]{0,3}(?:\[\w{1,12}\]:?)?$/i;
const LEVEL_WORDS = 4;
const LEVEL_SHARE = 0.9;
/** For texts of unknown kind. */
const LOG_SHARE = 0.6;
const LEAST_LINES = 5;
const SHOWN_CHARACTERS = 160;

type Levels = Map<string, { count: number; readonly line: number; readonly text: string }>;
const GRAVE = /^(?:EMERG|PANIC|FATAL|FTL|CRIT|ALERT|SEVERE|ERR)/i;

export function logReader(): OutlineReader & {
  readonly isLikelyLog: () => boolean;
} {
  const levels: Levels = new Map();
  let [lines, timed, levelled] = [0, 0, 0];
  let [first, last, firstLine, lastLine] = ["", "", 0, 0];
  let [example, exampleLine] = ["", 0];

  function takeTime(time: string, number: number): void {
    timed += 1;
    if (first === "") [first, firstLine] = [time, number];
    [last, lastLine] = [time, number];
  }

  return {
    take(line, number) {
      if (line.trim() === "") return;
      lines += 1;
      const head = line.slice(0, HEAD_CHARACTERS);
      const start = AT_START.exec(head);
      const time = start?.[1] ?? IN_BRACKETS.exec(head)?.[1];
      if (time !== undefined) takeTime(time, number);
      if (example === "" || (time !== undefined && timed === 1))
        [example, exampleLine] = [line, number];
      const message = head.slice(start?.[0].length ?? 0).replace(/^[\s\],|:"-]+/, "");
      const words = message.split(/[\s|]+|\]\[/, LEVEL_WORDS);
      const level = words.flatMap((word) => LEVEL.exec(word)?.[1] ?? [])[0];
      if (level === undefined) return;
      levelled += 1;
      const known = levels.get(level);
      if (known === undefined) levels.set(level, { count: 1, line: number, text: line });
      else known.count += 1;
    },
    isLikelyLog: () => lines > LEAST_LINES && timed >= lines * LOG_SHARE,
    outline() {
      const isTimed = timed >= LEAST_LINES;
      // Fewer are words of sentences.
      const hasLevels = levelled > 0 && levelled >= (isTimed ? timed : lines) * LEVEL_SHARE;
      if (!isTimed && (!hasLevels || lines < LEAST_LINES)) return undefined;
      const grave = [...levels].find(([level]) => GRAVE.test(level))?.[1];
      const span = `first ${first} (line ${firstLine}), last ${last} (line ${lastLine})`;
      return {
        facts: [
          isTimed ? `${grouped(timed)} lines have a time: ${span}` : "",
          hasLevels ? levelsText(levels) : "",
          lineText(exampleLine, example),
          hasLevels && grave && grave.line !== exampleLine ? lineText(grave.line, grave.text) : "",
        ].filter((fact) => fact !== ""),
        entries: [],
        total: 0,
        noun: "lines",
        hasLines: true,
      };
    },
  };
}

function lineText(number: number, line: string): string {
  return `line ${number}: ${shorten(line.trim(), SHOWN_CHARACTERS)}`;
}

function levelsText(levels: Levels): string {
  const sorted = [...levels].toSorted(([, one], [, other]) => other.count - one.count);
  const told = sorted.map(
    ([level, { count, line }]) => `${level} ${grouped(count)} (first: line ${line})`,
  );
  return `levels: ${told.join(", ")}`;
}
