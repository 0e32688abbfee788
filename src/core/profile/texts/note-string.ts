import { readDate } from "./date-text.js";
import { noteDate, noteNumeral, type RangeTally } from "../range-tally.js";
import { noteValue, type ValueTally } from "../value-tally.js";

/** What was seen of the strings at one place. */
export interface StringTally {
  readonly types: { string: number };
  readonly values: ValueTally;
  readonly ranges: RangeTally;
  /** Strings without a character; of the others how many are dates, and numbers. */
  empties: number;
  dates: number;
  numerals: number;
  /** The first that is none of these numbers. */
  word: string | undefined;
  /** UTF-16 units of all strings, and of the longest. */
  stringCharacters: number;
  maxCharacters: number;
}

/** A longer text is read as neither date nor number. */
const MAX_CHARACTERS = 80;
const NUMERAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/;
const CODE_OF_NINE = 0x39;

/** Adds a string. Dates are looked for as long as all strings of the place are such. */
export function noteString(tally: StringTally, text: string, budget: { values: number }): void {
  const { length } = text;
  tally.stringCharacters += length;
  if (length > tally.maxCharacters) tally.maxCharacters = length;
  if (length === 0) tally.empties += 1;
  else if (length <= MAX_CHARACTERS) noteForm(tally, text);
  noteValue(tally.values, text, budget);
}

function noteForm(tally: StringTally, text: string): void {
  // Few strings begin as a number does: most are spared the rest.
  if (text.charCodeAt(0) <= CODE_OF_NINE && NUMERAL.test(text)) {
    tally.numerals += 1;
    noteNumeral(tally.ranges, text);
    return;
  }
  tally.word ??= text;
  const before = tally.types.string - tally.empties - 1;
  const date = tally.dates === before ? readDate(text) : undefined;
  if (date === undefined) return;
  tally.dates += 1;
  noteDate(tally.ranges, date);
}
