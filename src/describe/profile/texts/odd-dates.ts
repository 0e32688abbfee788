import { type Extremes, type ValueRange, widened } from "../extremes.js";

/** Dates in a form whose order as text is not that of time, such as `Jun 12 1998` and `6/12/1998`. */
export interface OddDates {
  /** Texts that are such dates. */
  count: number;
  /** How the first is written, and whether others are written otherwise. */
  readonly form: string;
  isMixed: boolean;
  /** First and last where a number before the year is a day; `undefined` where one cannot be. */
  monthFirst: Extremes<number> | undefined;
  /** The same where it is a month. */
  dayFirst: Extremes<number> | undefined;
}

interface OddDate {
  readonly form: string;
  /** Milliseconds, by the order of month and day; not a number where they have no such order. */
  readonly monthFirst: number;
  readonly dayFirst: number;
}

const MAX_CHARACTERS = 48;
const MONTH_FIRST = /^([A-Z][a-z]{2})[a-z]{0,6}(\.? )(?:(\d{1,2})(,? ))?(\d{4})(?!\d)/;
const DAY_FIRST =
  /^([A-Z][a-z]{2}, )?(\d{1,2})([- ])([A-Z][a-z]{2})[a-z]{0,6}[- ](\d{4}|\d\d)(?!\d)/;
const NUMBERS = /^(\d{1,2})([-/.])(\d{1,2})[-/.](\d{4}|\d\d)(?!\d)/;
const TIME = /^,? (\d{1,2}):(\d\d)(?::(\d\d))?(?: ?([AaPp])[Mm])?(?: (GMT|UTC|[-+]\d{4}))?$/;
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const LAST_DAY = 31;
const HALF_DAY = 12;

/** Adds a text; `undefined` where it is no such date. */
export function noteOddDate(known: OddDates | undefined, text: string): OddDates | undefined {
  const date = readOddDate(text);
  if (date === undefined) return undefined;
  const { form, monthFirst, dayFirst } = date;
  if (known === undefined) {
    return {
      count: 1,
      form,
      isMixed: false,
      monthFirst: Number.isNaN(monthFirst) ? undefined : widened(undefined, monthFirst, text),
      dayFirst: Number.isNaN(dayFirst) ? undefined : widened(undefined, dayFirst, text),
    };
  }
  known.count += 1;
  known.isMixed ||= form !== known.form;
  known.monthFirst = wider(known.monthFirst, monthFirst, text);
  known.dayFirst = wider(known.dayFirst, dayFirst, text);
  return known;
}

/** One text that has no such order leaves none to all. */
function wider(
  known: Extremes<number> | undefined,
  key: number,
  text: string,
): Extremes<number> | undefined {
  return known === undefined || Number.isNaN(key) ? undefined : widened(known, key, text);
}

/** What two places have seen. */
export function mergedOddDates(
  into: OddDates | undefined,
  from: OddDates | undefined,
): OddDates | undefined {
  if (into === undefined || from === undefined) return into ?? from;
  return {
    count: into.count + from.count,
    form: into.form,
    isMixed: into.isMixed || from.isMixed || into.form !== from.form,
    monthFirst: bothOf(into.monthFirst, from.monthFirst),
    dayFirst: bothOf(into.dayFirst, from.dayFirst),
  };
}

function bothOf(
  one: Extremes<number> | undefined,
  other: Extremes<number> | undefined,
): Extremes<number> | undefined {
  if (one === undefined || other === undefined) return undefined;
  const { min, max } = other;
  return widened(
    widened({ min: { ...one.min }, max: { ...one.max } }, min.key, min.text),
    max.key,
    max.text,
  );
}

/** The first and the last as they came, where all are written alike and only one order of day and month suits all. */
export function rangeOfOddDates({
  isMixed,
  monthFirst,
  dayFirst,
}: OddDates): ValueRange | undefined {
  if (isMixed || (monthFirst !== undefined && dayFirst !== undefined)) return undefined;
  const found = monthFirst ?? dayFirst;
  return found && { min: found.min.text, max: found.max.text };
}

function readOddDate(text: string): OddDate | undefined {
  if (text.length > MAX_CHARACTERS) return undefined;
  const found = monthFirstOf(text) ?? dayFirstOf(text) ?? numbersOf(text);
  if (found === undefined) return undefined;
  const time = timeOf(text.slice(found.end));
  if (time === undefined) return undefined;
  return {
    form: `${found.form}${time.zone}`,
    monthFirst: found.monthFirst + time.milliseconds,
    dayFirst: found.dayFirst + time.milliseconds,
  };
}

type OddDay = OddDate & { readonly end: number };

function monthFirstOf(text: string): OddDay | undefined {
  const [all, month = "", point, day = "1", comma = "", year = ""] = MONTH_FIRST.exec(text) ?? [];
  const key = dayOf(year, MONTHS.indexOf(month) + 1, Number(day));
  if (all === undefined || key === undefined) return undefined;
  return { form: `M${point}d${comma}y`, monthFirst: key, dayFirst: NaN, end: all.length };
}

function dayFirstOf(text: string): OddDay | undefined {
  const [all, name = "", day, between, month = "", year = ""] = DAY_FIRST.exec(text) ?? [];
  const key = dayOf(year, MONTHS.indexOf(month) + 1, Number(day));
  if (all === undefined || key === undefined) return undefined;
  const form = `${name === "" ? "" : "N"}d${between}M${year.length}`;
  return { form, monthFirst: NaN, dayFirst: key, end: all.length };
}

function numbersOf(text: string): OddDay | undefined {
  const [all, first, between, second, year = ""] = NUMBERS.exec(text) ?? [];
  const monthFirst = dayOf(year, Number(first), Number(second));
  const dayFirst = dayOf(year, Number(second), Number(first));
  if (all === undefined || (monthFirst ?? dayFirst) === undefined) return undefined;
  return {
    form: `n${between}${year.length}`,
    monthFirst: monthFirst ?? NaN,
    dayFirst: dayFirst ?? NaN,
    end: all.length,
  };
}

/** Not a number where the year has two digits: nobody knows the century. */
function dayOf(year: string, month: number, day: number): number | undefined {
  if (!(month >= 1 && month <= MONTHS.length && day >= 1 && day <= LAST_DAY)) return undefined;
  return year.length === 2 ? NaN : Date.UTC(Number(year), month - 1, day);
}

function timeOf(
  text: string,
): { readonly milliseconds: number; readonly zone: string } | undefined {
  if (text === "") return { milliseconds: 0, zone: "" };
  const [all, hour, minute, second = "0", half, zone = ""] = TIME.exec(text) ?? [];
  if (all === undefined) return undefined;
  const hours =
    half === undefined
      ? Number(hour)
      : (Number(hour) % HALF_DAY) + (half.toLowerCase() === "p" ? HALF_DAY : 0);
  return { milliseconds: Date.UTC(1970, 0, 1, hours, Number(minute), Number(second)), zone };
}
