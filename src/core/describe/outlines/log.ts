import { grouped } from "../../../util/amounts.js";
import { shorten } from "../../../util/safe-text.js";
import type { OutlineReader } from "./text-parts.js";

const CLOCK = String.raw`\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?`;
const ZONE = String.raw`(?: ?Z(?!\w)| ?[-+]\d\d:?\d\d(?!\d)| UTC)`;
/** ISO, web servers, month and day, seconds since 1970, clock, month and day behind the letter of a level. */
const TIME = [
  String.raw`\d{4}[-/]\d\d[-/]\d\d[T ]${CLOCK}${ZONE}?`,
  String.raw`\d\d[/-][A-Z][a-z]{2}[/-]\d{4}[: ]${CLOCK}${ZONE}?`,
  String.raw`(?:[A-Z][a-z]{2} )?[A-Z][a-z]{2} [ \d]\d ${CLOCK}(?: \d{4})?`,
  String.raw`\d{10}(?:\d{3}|\.\d{1,9})?(?=[ \t|\]])`,
  String.raw`\d\d:\d\d:\d\d(?:[.,]\d{1,9})?`,
  String.raw`(?<=^[IWEF])\d{4} ${CLOCK}`,
].join("|");
const AT_START = new RegExp(String.raw`^\W{0,2}(?:(?:time|ts)="?|[IWEF](?=\d{4} ))?(${TIME})`);
const IN_BRACKETS = new RegExp(String.raw`\[(${TIME})(?: #\d{1,10})?\]`);
const HEAD_CHARACTERS = 140;

const LEVEL =
  /^[[(<|]{0,2}(?:\w{1,20}[=:]"?)?(TRACE|TRC|DEBUG|DBG|INFO|INF|NOTICE|WARN(?:ING)?|WRN|ERR(?:OR)?|FATAL|FTL|CRIT(?:ICAL)?|SEVERE|PANIC|EMERG|ALERT)["\])>:|,]{0,3}(?:\[\w{1,12}\]:?)?$/i;
const LEVEL_LETTER = /^[IWEF](?=\d{4} )/;
const LEVEL_WORDS = 4;
const LEVEL_SHARE = 0.9;
/** For texts of unknown kind. */
const LOG_SHARE = 0.6;
const LEAST_LINES = 5;
const SHOWN_CHARACTERS = 160;

type Levels = Map<string, { count: number; readonly line: number }>;

/** Lines without a time are of no account as soon as one has it: they may be of stack traces. */
export function logReader(): OutlineReader & {
  readonly isLikelyLog: () => boolean;
} {
  let places = createPlaces();
  let [lines, timed] = [0, 0];
  let [first, last, firstLine, lastLine] = ["", "", 0, 0];
  let [example, exampleLine] = ["", 0];

  function takeTime(time: string, number: number): void {
    timed += 1;
    if (timed === 1) [first, firstLine] = [time, number];
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
      else if (timed > 0) return;
      if (timed === 1) places = createPlaces();
      if (lines === 1 || timed === 1) [example, exampleLine] = [line, number];
      const message = head.slice(start?.[0].length ?? 0).replace(/^[\s\],|:"-]+/, "");
      const letter = LEVEL_LETTER.exec(head)?.[0];
      const words = message.split(/[\s|]+|\]\[/, LEVEL_WORDS);
      for (const [at, word] of (letter === undefined ? words : [letter]).entries()) {
        // Behind the first word, it may be one of the message.
        const isOfMessage = at > 0 && /^[a-z]+$/.test(word);
        const level = letter ?? (isOfMessage ? undefined : LEVEL.exec(word)?.[1]);
        if (level === undefined) continue;
        const known = places[at]?.get(level);
        if (known === undefined) places[at]?.set(level, { count: 1, line: number });
        else known.count += 1;
      }
    },
    isLikelyLog: () => lines > LEAST_LINES && timed >= lines * LOG_SHARE,
    outline() {
      const counted = timed > 0 ? timed : lines;
      const levels = levelsOf(places, counted * LEVEL_SHARE);
      if (counted < LEAST_LINES || (timed === 0 && levels === undefined)) return undefined;
      const span = `first ${first} (line ${firstLine}), last ${last} (line ${lastLine})`;
      return {
        facts: [
          ...(timed > 0 ? [`${grouped(timed)} lines have a time: ${span}`] : []),
          ...(levels === undefined ? [] : [levelsText(levels, counted)]),
          `line ${exampleLine}: ${shorten(example.trim(), SHOWN_CHARACTERS)}`,
        ],
        entries: [],
        total: 0,
        noun: "lines",
        hasLines: true,
      };
    },
  };
}

function createPlaces(): readonly Levels[] {
  return Array.from({ length: LEVEL_WORDS }, () => new Map());
}

function levelsOf(places: readonly Levels[], least: number): Levels | undefined {
  const totals = places.map((levels) =>
    [...levels.values()].reduce((sum, { count }) => sum + count, 0),
  );
  const most = Math.max(...totals);
  return most === 0 || most < least ? undefined : places[totals.indexOf(most)];
}

function levelsText(levels: Levels, lines: number): string {
  const sorted = [...levels].toSorted(([, one], [, other]) => other.count - one.count);
  const told = sorted.map(
    ([level, { count, line }]) => `${level} ${grouped(count)} (first: line ${line})`,
  );
  const having = sorted.reduce((sum, [, { count }]) => sum + count, 0);
  const of = having < lines ? ` of ${grouped(having)} of ${grouped(lines)} lines` : "";
  return `levels${of}: ${told.join(", ")}`;
}
