import type { SqlKind } from "../../../describe/profile/sql-columns.js";
import { kindOfNumber, scaleOf, SURE_DIGITS } from "./number-kinds.js";

/** Where the values of a field are noted. */
export interface SeenField {
  readonly kinds: Set<SqlKind>;
  scale: number;
}

/** What is left of a block, and what was seen of the rest. */
export interface LeftLines {
  /** Lines that are to be parsed. */
  readonly others: Buffer;
  /** Of the longest line that is not among them. */
  readonly longestBytes: number;
}

/** A field in the lines of a block: its value in the line that is read, and what all lines had. */
interface Column {
  /** Its name, quoted, and the colon. */
  readonly key: Buffer;
  kind: SqlKind | undefined;
  scale: number;
  readonly seen: Set<SqlKind>;
  largestScale: number;
}

/** So many lines are tried before those that are not alike tell of the rest. */
const TRIED = 64;

const NEWLINE = 0x0a;
const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/**
 * Looks at the lines of a block that are one object with these keys, in their order, and no object or list in it. They are
 * not parsed, which takes several times as long; what is not certain to be such a line is left.
 */
export function takeFlatLines(block: Buffer, fields: ReadonlyMap<string, SeenField>): LeftLines {
  const columns = [...fields].map(([name, { scale }]): Column => ({
    key: Buffer.from(`${JSON.stringify(name)}:`),
    kind: undefined,
    scale: 0,
    seen: new Set(),
    largestScale: scale,
  }));
  const left: Buffer[] = [];
  let taken = 0;
  let longestBytes = 0;
  for (let start = 0; start < block.length;) {
    const end = endOfFlatLine(block, start, columns);
    if (end > 0) {
      note(columns);
      taken += 1;
      longestBytes = Math.max(longestBytes, end - start);
      start = end + 1;
      continue;
    }
    const newline = block.indexOf(NEWLINE, start);
    const isHopeless = left.length > TRIED && left.length > taken;
    const next = newline === -1 || isHopeless ? block.length : newline + 1;
    left.push(block.subarray(start, next));
    start = next;
  }
  for (const [index, field] of [...fields.values()].entries()) {
    const { seen, largestScale } = columns[index]!;
    for (const kind of seen) field.kinds.add(kind);
    field.scale = Math.max(field.scale, largestScale);
  }
  return { others: taken === 0 ? block : Buffer.concat(left), longestBytes };
}

/** Takes what a whole line had: one that turns out to be another has no say. */
function note(columns: readonly Column[]): void {
  for (const column of columns) {
    if (column.kind === undefined) continue;
    column.seen.add(column.kind);
    if (column.scale > column.largestScale) column.largestScale = column.scale;
  }
}

/** Where the line ends that begins at `at`; -1 when it is not such a line. */
function endOfFlatLine(block: Buffer, at: number, columns: readonly Column[]): number {
  const { length } = block;
  if (block[at++] !== OPEN) return -1;
  for (let index = 0; index < columns.length; index++) {
    const column = columns[index]!;
    const { key } = column;
    if (index > 0) {
      if (block[at++] !== COMMA) return -1;
      if (block[at] === SPACE) at++;
    }
    if (at + key.length >= length) return -1;
    for (let byte = 0; byte < key.length; byte++) if (block[at++] !== key[byte]) return -1;
    if (block[at] === SPACE) at++;
    at = endOfValue(block, at, column);
    // What follows it is a byte at least.
    if (at < 0 || at >= length) return -1;
  }
  if (block[at++] !== CLOSE) return -1;
  return at === length || block[at] === NEWLINE ? at : -1;
}

/** Where a value ends that is no object and no list, and of which its kind is certain; else -1. */
function endOfValue(block: Buffer, at: number, column: Column): number {
  column.scale = 0;
  const first = block[at]!;
  if (first === QUOTE) {
    column.kind = "string";
    return endOfString(block, at + 1);
  }
  if (first === MINUS || isDigit(first)) return endOfNumber(block, at, column);
  for (const { bytes, kind } of LITERALS) {
    if (first !== bytes[0]) continue;
    column.kind = kind;
    for (let byte = 1; byte < bytes.length; byte++) if (block[at + byte] !== bytes[byte]) return -1;
    return at + bytes.length;
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

function endOfNumber(block: Buffer, start: number, column: Column): number {
  const { length } = block;
  let at = block[start] === MINUS ? start + 1 : start;
  const whole = at;
  while (at < length && isDigit(block[at]!)) at++;
  const wholeDigits = at - whole;
  if (wholeDigits === 0 || wholeDigits > SURE_DIGITS) return -1;
  if (block[whole] === ZERO && wholeDigits > 1) return -1;
  column.kind = "integer";
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
  if (isSure ? !isSmall : column.largestScale === Infinity) {
    column.kind = "number";
    column.scale = isSure ? end - fraction : Infinity;
    return at;
  }
  const value = Number(block.toString("latin1", start, at));
  column.kind = kindOfNumber(value);
  if (column.kind === "number" && column.largestScale !== Infinity) column.scale = scaleOf(value);
  return at;
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= NINE;
}
