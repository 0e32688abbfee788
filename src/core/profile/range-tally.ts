import type { DateText } from "./texts/date-text.js";
import { type Extremes, type ValueRange, widened } from "./extremes.js";

/** Extremes over all values that were seen at one place. */
export interface RangeTally {
  numbers: { min: number; max: number } | undefined;
  /** Some number is not the one that came: no extreme is known. */
  lacksNumbers: boolean;
  /** Strings that read as numbers; compared as numbers, shown as they came. */
  numerals: Extremes<number> | undefined;
  lacksNumerals: boolean;
  /** Some numeral has a fraction, some an exponent. */
  hasFractions: boolean;
  hasExponents: boolean;
  /** Dates of one form and zone, compared without the zone. */
  dates: (Extremes<string> & { readonly zone: string; readonly form: number }) | undefined;
  /** Some date is written otherwise: their texts have no order. */
  lacksDates: boolean;
  /** Whether some date has a time. */
  hasTimes: boolean;
  /** Lengths of arrays. */
  lengths: { min: number; max: number } | undefined;
}

/** Digits that every number keeps which is read and written again. */
const EXACT_DIGITS = 15;
const DAY_CHARACTERS = 10;
/** Of a form the character before the time; 0 without one. */
const CODES = 256;

/** A place of which nothing has been seen. */
export function createRangeTally(): RangeTally {
  return {
    numbers: undefined,
    lacksNumbers: false,
    numerals: undefined,
    lacksNumerals: false,
    hasFractions: false,
    hasExponents: false,
    dates: undefined,
    lacksDates: false,
    hasTimes: false,
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
  tally.hasFractions ||= text.includes(".");
  tally.hasExponents ||= text.includes("e") || text.includes("E");
  const isLong = text.length > EXACT_DIGITS;
  if (isLong && text.replace(/[eE].*|\D/g, "").length > EXACT_DIGITS) tally.lacksNumerals = true;
  else if (Number.isFinite(key)) tally.numerals = widened(tally.numerals, key, text);
  else tally.lacksNumerals = true;
}

/** Adds a date. Those of different zones, or written otherwise, have no order that their texts show. */
export function noteDate(tally: RangeTally, { moment, zone }: DateText): void {
  if (moment.length > DAY_CHARACTERS) tally.hasTimes = true;
  const form = formOf(moment);
  if (tally.dates === undefined)
    tally.dates = { ...widened(undefined, moment, moment), zone, form };
  else if (tally.dates.zone !== zone || tally.dates.form !== form) tally.lacksDates = true;
  else widened(tally.dates, moment, moment);
}

/** Equal for dates whose texts are in the order of their times. */
function formOf(moment: string): number {
  const time = moment.length > DAY_CHARACTERS ? moment.charCodeAt(DAY_CHARACTERS) : 0;
  return moment.length * CODES + time;
}

/** Adds what another place has seen, its numbers in the order of those of this one. */
export function mergeRanges(into: RangeTally, from: RangeTally): void {
  if (from.numbers !== undefined) {
    noteNumber(into, from.numbers.min);
    noteNumber(into, from.numbers.max);
  }
  for (const { text } of ends(from.numerals)) noteNumeral(into, text);
  for (const { text: moment } of ends(from.dates)) {
    noteDate(into, { moment, zone: from.dates?.zone ?? "" });
  }
  if (from.lengths !== undefined) {
    noteLength(into, from.lengths.min);
    noteLength(into, from.lengths.max);
  }
  into.lacksNumbers ||= from.lacksNumbers;
  into.lacksNumerals ||= from.lacksNumerals;
  into.lacksDates ||= from.lacksDates;
  into.hasFractions ||= from.hasFractions;
  into.hasExponents ||= from.hasExponents;
  into.hasTimes ||= from.hasTimes;
}

function ends<Key>(extremes: Extremes<Key> | undefined): readonly { readonly text: string }[] {
  return extremes === undefined ? [] : [extremes.min, extremes.max];
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

/** The first and the last date as they came; `undefined` where texts do not tell their order. */
export function rangeOfDates({ dates, lacksDates }: RangeTally): ValueRange | undefined {
  if (dates === undefined || lacksDates) return undefined;
  const { min, max, zone } = dates;
  return { min: `${min.text}${zone}`, max: `${max.text}${zone}` };
}
