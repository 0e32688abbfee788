/** The times of a log. */
export interface LogTimes {
  readonly add: (time: string) => void;
  /** The least and the greatest where all are of one form, else those of the first line and the last that have one. */
  readonly text: () => string | undefined;
}

/**
 * A date with the year first, a month's name and its day, numbers of a date in any order, a clock, seconds since 1970; then
 * the zone or the half of the day.
 */
const TIME =
  /^[^\d\w]{0,2}((?:\d{4}[-/]\d\d[-/]\d\d(?:[T ]\d{1,2}:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?: ?Z(?!\w)|[+-]\d\d:?\d\d)?)?|\w{3} {1,2}\d{1,2} \d\d:\d\d:\d\d|(?:\d{8}[T ]|\d\d-\d\d )?\d{1,2}:\d\d:\d\d(?:[.,]\d{1,9})?|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4},? \d{1,2}:\d\d(?::\d\d(?:[.,]\d{1,9})?)?)(?:[ \u202f]?[AaPp][Mm](?!\w))?|\d{10}(?:\d{3})?(?:\.\d{1,9})?(?=[ \t:|\]]))/;
const BRACKET_TIME = /\[(\d\d\/\w{3}\/\d{4}:\d\d:\d\d:\d\d(?: [+-]\d{4})?)\]/;
/** What may stand before a clock: the month and the day of klog; what may be a date that is not read. */
const SHORT_DATE = /^[IWEF](\d{4}(?:\d{4})? )/;
const NUMBER = /^\W?\d/;
const CLOCK = /^\d{1,2}:/;

/** Where a line's time is looked for. */
const HEAD_CHARACTERS = 100;
const MAX_WORD_CHARACTERS = 50;
/** Of a time, the characters of which one is a digit: two marks, a month's name, two blanks. */
const DIGIT_CHARACTERS = 8;

/** The time that a line begins with, or that stands after its first word or in brackets, and what comes after it. */
export function splitTime(line: string): {
  readonly time: string | undefined;
  readonly message: string;
} {
  const start = timeAt(line, 0);
  const word = start === null ? line.indexOf(" ") + 1 : 0;
  const stamp = word > 0 && word < MAX_WORD_CHARACTERS ? timeAt(line, word) : start;
  if (stamp === null)
    return { time: BRACKET_TIME.exec(line.slice(0, HEAD_CHARACTERS))?.[1], message: line };
  const time = stamp[1] ?? "";
  const rest = line.slice(word + stamp[0].length);
  if (word === 0) return { time, message: rest };
  const message = line.slice(0, word) + rest;
  if (!CLOCK.test(time)) return { time, message };
  const date = SHORT_DATE.exec(line)?.[1] ?? "";
  return { time: date === "" && NUMBER.test(line) ? undefined : date + time, message };
}

/** Before a time is looked for, its first digit is. */
function timeAt(line: string, at: number): RegExpExecArray | null {
  const end = Math.min(line.length, at + DIGIT_CHARACTERS);
  for (let digit = at; digit < end; digit += 1)
    if (isDigit(line.charCodeAt(digit))) return TIME.exec(at === 0 ? line : line.slice(at));
  return null;
}

/** Times that are in order as text is: a year first, or seconds in all. Clocks alone begin anew each day. */
const ORDERED = /^(?:\d{4}[-/]|\d{10})/;
const ZONE = /(?:Z|[+-]\d\d:?\d\d)$/;
const HALF_DAY = /m$/i;

export function createTimes(): LogTimes {
  let [first, last, least, greatest] = ["", "", "", ""];
  let zoneCharacters = 0;
  let isOrdered = true;
  return {
    add(time) {
      if (first === "") {
        [first, least, greatest] = [time, time, time];
        zoneCharacters = zoneOf(time).length;
        isOrdered = ORDERED.test(time) && !HALF_DAY.test(time);
      }
      last = time;
      if (!isOrdered) return;
      isOrdered = areOfOneForm(first, time, zoneCharacters);
      if (time < least) least = time;
      if (time > greatest) greatest = time;
    },
    text() {
      if (first === "") return undefined;
      if (isOrdered) return `${least} to ${greatest}`;
      return `first line ${first}, last line ${last}`;
    },
  };
}

function zoneOf(time: string): string {
  return time.length > 12 ? (ZONE.exec(time)?.[0] ?? "") : "";
}

/** Whether digits stand at the same places, and all else is the same, as is the zone. */
function areOfOneForm(one: string, other: string, zoneCharacters: number): boolean {
  if (one.length !== other.length) return false;
  for (let at = 0; at < one.length; at += 1) {
    const code = one.charCodeAt(at);
    const otherCode = other.charCodeAt(at);
    if (code === otherCode) continue;
    if (at >= one.length - zoneCharacters || !isDigit(code) || !isDigit(otherCode)) return false;
  }
  return true;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}
