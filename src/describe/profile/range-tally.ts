import type { DateText } from "./date-text.js";

/** The lowest and the highest of what was seen, as it is to be shown. */
export interface ValueRange {
  readonly min: string;
  readonly max: string;
}

/** Extremes over all values that were seen at one place. */
export interface RangeTally {
  numbers: { min: number; max: number } | undefined;
  /** Some number is not the one that came: no extreme is known. */
  lacksNumbers: boolean;
  /** Strings that read as numbers; compared as numbers, shown as they came. */
  numerals: Extremes<number> | undefined;
  lacksNumerals: boolean;
  /** Dates of one zone, compared without it. */
  dates: (Extremes<string> & { readonly zone: string }) | undefined;
  lacksDates: boolean;
  /** How the first date is written, and whether others are written otherwise. */
  dateForm: string | undefined;
  mixesDateForms: boolean;
  /** Lengths of arrays. */
  lengths: { min: number; max: number } | undefined;
}

interface Extremes<Key> {
  min: { readonly key: Key; readonly text: string };
  max: { readonly key: Key; readonly text: string };
}

/** Digits that every number keeps which is read and written again. */
const EXACT_DIGITS = 15;
/** Of a date and a time the characters up to the day, up to the second, and all. */
const DATE_CHARACTERS = [10, 19, Infinity] as const;

/** A place of which nothing has been seen. */
export function createRangeTally(): RangeTally {
  return {
    numbers: undefined,
    lacksNumbers: false,
    numerals: undefined,
    lacksNumerals: false,
    dates: undefined,
    lacksDates: false,
    dateForm: undefined,
    mixesDateForms: false,
    lengths: undefined,
  };
}

/** Adds a number; one that is not finite stands for a number that cannot be kept exactly. */
export function noteNumber(tally: RangeTally, value: number): void {
  if (!Number.isFinite(value)) tally.lacksNumbers = true;
  else if (tally.numbers === undefined) tally.numbers = { min: value, max: value };
  else if (value < tally.numbers.min) tally.numbers.min = value;
  else if (value > tally.numbers.max) tally.numbers.max = value;
}

/** Adds the length of an array. */
export function noteLength(tally: RangeTally, length: number): void {
  tally.lengths ??= { min: length, max: length };
  tally.lengths.min = Math.min(tally.lengths.min, length);
  tally.lengths.max = Math.max(tally.lengths.max, length);
}

/** Adds a string that reads as a number. */
export function noteNumeral(tally: RangeTally, text: string): void {
  const key = Number(text);
  if (text.replace(/[eE].*|\D/g, "").length > EXACT_DIGITS || !Number.isFinite(key)) {
    tally.lacksNumerals = true;
  } else tally.numerals = widened(tally.numerals, key, text);
}

/** Adds a date. Those of different zones, or written otherwise, have no order that their texts show. */
export function noteDate(tally: RangeTally, { moment, zone }: DateText): void {
  const { dates } = tally;
  const form = formOf(moment, zone);
  tally.dateForm ??= form;
  tally.mixesDateForms ||= form !== tally.dateForm;
  if (dates !== undefined && dates.zone !== zone) {
    tally.lacksDates = true;
    return;
  }
  tally.dates = { ...widened(dates, moment.replace(" ", "T"), moment), zone };
}

/** Equal for dates whose texts are in the order of their times. */
function formOf(moment: string, zone: string): string {
  return `${moment.length}${moment[10] ?? ""}${zone}`;
}

function widened<Key extends number | string>(
  known: Extremes<Key> | undefined,
  key: Key,
  text: string,
): Extremes<Key> {
  const value = { key, text };
  if (known === undefined) return { min: value, max: value };
  return {
    min: key < known.min.key ? value : known.min,
    max: key > known.max.key ? value : known.max,
  };
}

/** The range of the numbers; `undefined` where it is not known. */
export function rangeOfNumbers({ numbers, lacksNumbers }: RangeTally): ValueRange | undefined {
  if (numbers === undefined || lacksNumbers) return undefined;
  return { min: String(numbers.min), max: String(numbers.max) };
}

/** The range of the strings that read as numbers. */
export function rangeOfNumerals({ numerals, lacksNumerals }: RangeTally): ValueRange | undefined {
  if (numerals === undefined || lacksNumerals) return undefined;
  return { min: numerals.min.text, max: numerals.max.text };
}

/**
 * The first and the last day; of moments on one day their times, without fractions of a second unless these are all
 * that differs.
 */
export function rangeOfDates({ dates, lacksDates }: RangeTally): ValueRange | undefined {
  if (dates === undefined || lacksDates) return undefined;
  const [min, max] = [dates.min.text, dates.max.text];
  for (const characters of DATE_CHARACTERS) {
    const range = { min: min.slice(0, characters), max: max.slice(0, characters) };
    if (range.min !== range.max) return range;
  }
  return { min, max };
}
