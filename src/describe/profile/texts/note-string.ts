import { readDate } from "./date-text.js";
import { noteOddDate, type OddDates } from "./odd-dates.js";
import { noteAmount, noteDate, noteNumeral, type RangeTally } from "../range-tally.js";
import { noteValue, type ValueTally } from "../value-tally.js";

/** What was seen of the strings at one place. */
export interface StringTally {
  readonly types: { string: number };
  readonly values: ValueTally;
  readonly ranges: RangeTally;
  /** Strings without a character; of the others how many are dates, numbers, and amounts such as `$9.95`. */
  empties: number;
  dates: number;
  numerals: number;
  amounts: number;
  oddDates: OddDates | undefined;
  /** The first that is none of these numbers. */
  word: string | undefined;
  /** UTF-16 units of all strings, and of the longest. */
  stringCharacters: number;
  maxCharacters: number;
}

/** A longer text is read as neither date nor number. */
const MAX_CHARACTERS = 80;
const NUMERAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/;
/** Numbers as people write them: `$109.95`, `1,234`, `-12 %`, `.5`. */
const AMOUNT = /^[-+]?[$€£¥]? ?(?!0\d)(?:\d{1,3}(?:,\d{3})+|\d{1,30})?(?:\.\d{1,30})? ?%?$/;
const CODE_OF_NINE = 0x39;
const POUND = 0xa3;
const YEN = 0xa5;
const EURO = 0x20ac;

/** Adds a string. Dates and amounts are looked for as long as all strings of the place are such. */
export function noteString(tally: StringTally, text: string, budget: { values: number }): void {
  const { length } = text;
  tally.stringCharacters += length;
  if (length > tally.maxCharacters) tally.maxCharacters = length;
  if (length === 0) tally.empties += 1;
  else if (length <= MAX_CHARACTERS) noteForm(tally, text);
  noteValue(tally.values, text, budget);
}

function noteForm(tally: StringTally, text: string): void {
  const before = tally.types.string - tally.empties - 1;
  const code = text.charCodeAt(0);
  // Few strings begin as a number does: most are spared the expressions.
  const mayBegin = code <= CODE_OF_NINE || code === POUND || code === YEN || code === EURO;
  if (mayBegin && isNumber(tally, text, before)) return;
  tally.word ??= text;
  const { oddDates } = tally;
  if (oddDates === undefined ? before === 0 : oddDates.count === before) {
    tally.oddDates = noteOddDate(oddDates, text) ?? oddDates;
  }
}

/** Notes a date, a number or an amount. */
function isNumber(tally: StringTally, text: string, before: number): boolean {
  const date = tally.dates === before ? readDate(text) : undefined;
  if (date !== undefined) {
    tally.dates += 1;
    noteDate(tally.ranges, date);
    tally.word ??= text;
  } else if (NUMERAL.test(text)) {
    tally.numerals += 1;
    noteNumeral(tally.ranges, text);
  } else if (tally.amounts + tally.numerals === before && AMOUNT.test(text) && /\d/.test(text)) {
    tally.amounts += 1;
    noteAmount(tally.ranges, text);
    tally.word ??= text;
  } else return false;
  return true;
}
