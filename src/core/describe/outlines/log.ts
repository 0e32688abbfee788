import { grouped } from "../../../util/amounts.js";
import { shorten } from "../../../util/safe-text.js";
import type { OutlineReader } from "./outline.js";

const CLOCK = String.raw`\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?`;
const ZONE = String.raw`(?: ?Z(?!\w)| ?[-+]\d\d:?\d\d(?!\d)| UTC)`;
/** ISO, web servers, month and day, seconds since 1970 as `STAMPS` has them, clock, month and day behind the letter of a level. */
const TIME = [
  String.raw`\d{4}[-/]\d\d[-/]\d\d[T ]${CLOCK}${ZONE}?`,
  String.raw`\d\d[/-][A-Z][a-z]{2}[/-]\d{4}[: ]${CLOCK}${ZONE}?`,
  String.raw`(?:[A-Z][a-z]{2} )?[A-Z][a-z]{2} [ \d]\d ${CLOCK}(?: \d{4})?`,
  String.raw`1[2-9]\d{8}(?:\d{3}|\.\d{1,9})?(?=[ \t|\]])`,
  String.raw`\d\d:\d\d:\d\d(?:[.,]\d{1,9})?`,
  String.raw`(?<=^[IWEF])\d{4} ${CLOCK}`,
].join("|");
const AT_START = new RegExp(
  String.raw`^\W{0,2}(?:(?:time|ts)="?|\d{1,3}>(?:\d )?|[IWEF](?=\d{4} ))?(${TIME})(?!\S{0,9} [AP]M)`,
);
const IN_BRACKETS = new RegExp(String.raw`\[(${TIME})(?: #\d{1,10})?\]`);
const HEAD_CHARACTERS = 140;

const LEVEL =
  /^[[(<|]{0,2}(?:\w{1,20}[=:]"?)?(TRACE|TRC|DEBUG|DBG|INFO|INF|NOTICE|WARN(?:ING)?|WRN|ERR(?:OR)?|FATAL|FTL|CRIT(?:ICAL)?|SEVERE|PANIC|EMERG|ALERT)["\])>:|,]{0,3}(?:\[\w{1,12}\]:?|(?<=:)[\w.]{1,60}:\S{0,99})?$/i;
const LEVEL_LETTER = /^[IWEF](?=\d{4} )/;
const LEVEL_WORDS = 4;
const LEVEL_SHARE = 0.9;
const LEAST_LINES = 5;
const SHOWN_CHARACTERS = 160;

/** Of how many lines each level is, and the first of them, for one word of the lines. */
type Levels = Map<string, { count: number; readonly line: number }>;

/** Lines without a time are of no account as soon as one has it: they may be of stack traces. */
export function logReader(): OutlineReader {
  const places: readonly Levels[] = Array.from({ length: LEVEL_WORDS }, () => new Map());
  let [lines, timed] = [0, 0];
  let [first, last, example] = ["", "", ""];
  return {
    take(line, number) {
      if (line.trim() === "") return;
      lines += 1;
      const head = line.slice(0, HEAD_CHARACTERS);
      const start = AT_START.exec(head);
      const time = start?.[1] ?? IN_BRACKETS.exec(head)?.[1];
      if (time !== undefined) {
        timed += 1;
        last = `${time} (line ${number})`;
      } else if (timed > 0) return;
      if (timed === 1) {
        for (const levels of places) levels.clear();
        first = last;
      }
      if (lines === 1 || timed === 1)
        example = `line ${number}: ${shorten(line.trim(), SHOWN_CHARACTERS)}`;
      const message = head.slice(start?.[0].length ?? 0).replace(/^[\s\],|:"-]+/, "");
      const letter = LEVEL_LETTER.exec(head)?.[0];
      const words = message.split(/[\s|]+|\]\[/, LEVEL_WORDS);
      // Behind the first word, one in small letters may be of the message.
      const place = words.findIndex(
        (one, at) => LEVEL.test(one) && (at === 0 || !/^[a-z]*$/.test(one)),
      );
      const level = letter ?? LEVEL.exec(words[place] ?? "")?.[1];
      const levels = places[letter === undefined ? place : 0];
      if (level === undefined || levels === undefined) return;
      const known = levels.get(level) ?? { count: 0, line: number };
      known.count += 1;
      levels.set(level, known);
    },
    outline() {
      const counted = timed > 0 ? timed : lines;
      const levels = places.reduce((most, one) => (linesIn(one) > linesIn(most) ? one : most));
      const having = linesIn(levels);
      const hasLevels = having >= Math.max(1, counted * LEVEL_SHARE);
      if (counted < LEAST_LINES || (timed === 0 && !hasLevels)) return undefined;
      const span = `${grouped(timed)} lines have a time: first ${first}, last ${last}`;
      const of = having < counted ? ` of ${grouped(having)} of ${grouped(counted)} lines` : "";
      return {
        facts: [
          ...(timed > 0 ? [span] : []),
          ...(hasLevels ? [`levels${of}: ${levelsText(levels)}`] : []),
          example,
        ],
        entries: [],
        total: 0,
        noun: "lines",
        hasLines: true,
      };
    },
  };
}

function linesIn(levels: Levels): number {
  return [...levels.values()].reduce((sum, { count }) => sum + count, 0);
}

function levelsText(levels: Levels): string {
  return [...levels]
    .toSorted(([, one], [, other]) => other.count - one.count)
    .map(([level, { count, line }]) => `${level} ${grouped(count)} (first: line ${line})`)
    .join(", ");
}
