import type { SqlKind } from "../../../profile/sql/columns.js";
import { kindOfNumber, scaleOf, SURE_DIGITS } from "./number-kinds.js";

/** What bytes say of a value of JSON. */
export interface SeenValue {
  /** None of `null`, and of an object or a list. */
  kind: SqlKind | undefined;
  /** Digits after the point. */
  scale: number;
  /** The most of them so far; where it is infinite they are not counted any more. */
  largestScale: number;
  /** Where an object or a list is, else 0, and how many members are in it. */
  from: number;
  to: number;
  members: number;
}

const NEWLINE = 0x0a;
const SPACE = 0x20;
const QUOTE = 0x22;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/** Where a value ends of which its kind is certain, or that is to be parsed; else -1. */
export function endOfValue(block: Buffer, at: number, value: SeenValue): number {
  value.scale = 0;
  value.to = 0;
  value.members = 0;
  value.kind = undefined;
  const first = block[at]!;
  if (first === QUOTE) {
    value.kind = "string";
    return endOfString(block, at + 1);
  }
  if (first === MINUS || isDigit(first)) return endOfNumber(block, at, value);
  if (first === OPEN || first === OPEN_LIST) return endOfNested(block, at, value);
  for (const { bytes, kind } of LITERALS) {
    if (first !== bytes[0]) continue;
    value.kind = kind;
    for (let byte = 1; byte < bytes.length; byte++) if (block[at + byte] !== bytes[byte]) return -1;
    return at + bytes.length;
  }
  return -1;
}

/** Whether its brackets match shows when it is parsed. */
function endOfNested(block: Buffer, start: number, value: SeenValue): number {
  const { length } = block;
  let depth = 0;
  for (let at = start; at >= 0 && at < length;) {
    const byte = block[at++]!;
    if (byte === QUOTE) at = endOfString(block, at);
    else if (byte === COLON) value.members += 1;
    else if (byte === OPEN || byte === OPEN_LIST) depth += 1;
    else if (byte === NEWLINE) return -1;
    else if ((byte === CLOSE || byte === CLOSE_LIST) && --depth === 0) {
      value.from = start;
      value.to = at;
      return at;
    }
  }
  return -1;
}

const LITERALS: readonly { readonly bytes: Buffer; readonly kind: SqlKind | undefined }[] = [
  { bytes: Buffer.from("null"), kind: undefined },
  { bytes: Buffer.from("true"), kind: "boolean" },
  { bytes: Buffer.from("false"), kind: "boolean" },
];

/** A control character belongs in no string, and `\u` may be half of a pair. */
function endOfString(block: Buffer, at: number): number {
  const { length } = block;
  while (at < length) {
    const byte = block[at++]!;
    if (byte === QUOTE) return at;
    if (byte < SPACE) return -1;
    if (byte === BACKSLASH && (at >= length || IS_ESCAPE[block[at++]!] === 0)) return -1;
  }
  return -1;
}

const IS_ESCAPE = new Uint8Array(256);
for (const byte of Buffer.from('"\\/bfnrt')) IS_ESCAPE[byte] = 1;

function endOfNumber(block: Buffer, start: number, value: SeenValue): number {
  const { length } = block;
  let at = block[start] === MINUS ? start + 1 : start;
  const whole = at;
  while (at < length && isDigit(block[at]!)) at++;
  const wholeDigits = at - whole;
  if (wholeDigits === 0 || wholeDigits > SURE_DIGITS) return -1;
  if (block[whole] === ZERO && wholeDigits > 1) return -1;
  value.kind = "integer";
  if (block[at] !== POINT) return at;
  const fraction = at + 1;
  // Behind the last digit that says something.
  let end = fraction;
  for (at = fraction; at < length && isDigit(block[at]!); at++)
    if (block[at] !== ZERO) end = at + 1;
  if (at === fraction) return -1;
  if (end === fraction) return at;
  const first = block[fraction]!;
  const isSure = wholeDigits + end - fraction <= SURE_DIGITS;
  // So small a number JavaScript may write with an exponent. One of many digits may be an integer to a double, which
  // says nothing of a column that has such numbers already.
  const isSmall = block[whole] === ZERO && first === ZERO;
  if (isSure ? !isSmall : value.largestScale === Infinity) {
    value.kind = "number";
    value.scale = isSure ? end - fraction : Infinity;
    return at;
  }
  const number = Number(block.toString("latin1", start, at));
  value.kind = kindOfNumber(number, () => false);
  if (value.kind === "number" && value.largestScale !== Infinity) value.scale = scaleOf(number);
  return at;
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= NINE;
}
