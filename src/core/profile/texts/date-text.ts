/** A text that is a date, or a date and a time. */
export interface DateText {
  /** Without the zone. */
  readonly moment: string;
  /** As it was written; empty without one. */
  readonly zone: string;
}

const DAY_CHARACTERS = 10;
const MINUTE_CHARACTERS = 16;
const SECOND_CHARACTERS = 19;
const MAX_FRACTION_DIGITS = 9;
const MAX_CHARACTERS = 40;
const LAST_HOUR = 23;
const LAST_MINUTE = 59;
/** A minute may have a leap second. */
const LAST_SECOND = 60;
const MONTH_DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;
const FEBRUARY = 2;
const ZONE = /^(?:Z| UTC| ?[-+](?:[01]\d|2[0-3]):?[0-5]\d)$/;
const DASH = 45;
const ZERO = 48;

/**
 * A date of the calendar such as `2026-01-31`, `2026-01-31 08:00` or `2026-01-31T08:00:00Z`, and no more than that;
 * `undefined` for any other text.
 */
export function readDate(text: string): DateText | undefined {
  const { length } = text;
  if (length < DAY_CHARACTERS || length > MAX_CHARACTERS) return undefined;
  if (text.charCodeAt(4) !== DASH || text.charCodeAt(7) !== DASH || !isDay(text)) return undefined;
  if (length === DAY_CHARACTERS) return { moment: text, zone: "" };
  const end = endOfTime(text);
  if (end === -1) return undefined;
  if (end === length) return { moment: text, zone: "" };
  const zone = text.slice(end);
  return ZONE.test(zone) ? { moment: text.slice(0, end), zone } : undefined;
}

/** The number that two or four digits make; -1 where they are none. */
function digits(text: string, from: number, count: number): number {
  let number = 0;
  for (let at = from; at < from + count; at += 1) {
    const digit = text.charCodeAt(at) - ZERO;
    if (!(digit >= 0 && digit <= 9)) return -1;
    number = number * 10 + digit;
  }
  return number;
}

function isDay(text: string): boolean {
  const year = digits(text, 0, 4);
  const month = digits(text, 5, 2);
  const day = digits(text, 8, 2);
  if (year === -1 || day < 1 || day > (MONTH_DAYS[month - 1] ?? 0)) return false;
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month !== FEBRUARY || day < 29 || isLeap;
}

/** Where the time behind the day ends; the day's end where a zone follows it, and -1 where a time is none. */
function endOfTime(text: string): number {
  const between = text[DAY_CHARACTERS];
  const hour = digits(text, 11, 2);
  if ((between !== "T" && between !== " ") || hour === -1) return DAY_CHARACTERS;
  if (hour > LAST_HOUR || text[13] !== ":" || !isUpTo(digits(text, 14, 2), LAST_MINUTE)) return -1;
  if (text[MINUTE_CHARACTERS] !== ":") return MINUTE_CHARACTERS;
  if (!isUpTo(digits(text, 17, 2), LAST_SECOND)) return -1;
  if (text[SECOND_CHARACTERS] !== ".") return SECOND_CHARACTERS;
  let end = SECOND_CHARACTERS + 1;
  while (digits(text, end, 1) !== -1) end += 1;
  const count = end - SECOND_CHARACTERS - 1;
  return count > 0 && count <= MAX_FRACTION_DIGITS ? end : -1;
}

function isUpTo(number: number, last: number): boolean {
  return number >= 0 && number <= last;
}
