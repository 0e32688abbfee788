import type { SqlKind } from "../../../profile/sql/columns.js";

const PLAIN = /^-?(\d{1,15})(?:\.(\d{1,15}))?$/;
/** Decimal digits that a double keeps in any case. */
export const SURE_DIGITS = 15;
/** Of up to 127 bits, and in strings as well: nothing is lost where an integer is taken to be long. */
const LONG_INTEGER = /(?:^|[[,:\s-])\d{16,39}(?=[,\]}\s]|$)/;
const BIGINT_END = 2 ** 63;
const HUGEINT_END = 2 ** 127;

/** Whether a block of JSON has integers that a double may not keep, digit by digit; looked for when it is first asked. */
export function longIntegersIn(block: Buffer): () => boolean {
  let areThere: boolean | undefined;
  return () => (areThere ??= LONG_INTEGER.test(block.toString("latin1")));
}

/**
 * What a number takes in a table.
 *
 * @param areLong - Whether integers stand there with all their digits: others are doubles, such as `6.02e23`.
 */
export function kindOfNumber(value: number, areLong: () => boolean): SqlKind {
  if (Number.isSafeInteger(value)) return "integer";
  const isLong = Number.isInteger(value) && Math.abs(value) < HUGEINT_END && areLong();
  if (!isLong) return "number";
  return Math.abs(value) < BIGINT_END ? "wide" : "huge";
}

/** Digits after the point of a number that has no more than a double keeps; infinite of any other value. */
export function scaleOf(value: unknown): number {
  const [, whole = "", fraction = ""] = PLAIN.exec(String(value)) ?? [];
  const digits = whole.length + fraction.length;
  return digits > 0 && digits <= SURE_DIGITS ? fraction.length : Infinity;
}
