import { readDate } from "./date-text.js";
import type { FieldTally } from "./field-tally.js";
import { noteAmount, noteDate, noteNumeral } from "./range-tally.js";
import { noteValue } from "./value-tally.js";

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
export function noteString(tally: FieldTally, text: string, budget: { values: number }): void {
  const { length } = text;
  tally.stringCharacters += length;
  if (length > tally.maxCharacters) tally.maxCharacters = length;
  if (length === 0) tally.empties += 1;
  else if (length <= MAX_CHARACTERS && mayBegin(text.charCodeAt(0))) noteForm(tally, text);
  noteValue(tally.values, text, budget);
}

/** Few strings begin as a number does: most are spared the expressions. */
function mayBegin(code: number): boolean {
  return code <= CODE_OF_NINE || code === POUND || code === YEN || code === EURO;
}

function noteForm(tally: FieldTally, text: string): void {
  const before = tally.types.string - tally.empties - 1;
  const date = tally.dates === before ? readDate(text) : undefined;
  if (date !== undefined) {
    tally.dates += 1;
    noteDate(tally.ranges, date);
  } else if (NUMERAL.test(text)) {
    tally.numerals += 1;
    noteNumeral(tally.ranges, text);
  } else if (tally.amounts + tally.numerals === before && AMOUNT.test(text) && /\d/.test(text)) {
    tally.amounts += 1;
    noteAmount(tally.ranges, text);
  }
}
