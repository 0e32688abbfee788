import type { SqlKind } from "../../../describe/profile/sql/columns.js";

const PLAIN = /^-?(\d{1,15})(?:\.(\d{1,15}))?$/;
/** Decimal digits that a double keeps in any case. */
export const SURE_DIGITS = 15;
const BIGINT_END = 2 ** 63;
const HUGEINT_END = 2 ** 127;

/** What a number takes in a table. */
export function kindOfNumber(value: number): SqlKind {
  if (!Number.isInteger(value) || Math.abs(value) >= HUGEINT_END) return "number";
  if (Number.isSafeInteger(value)) return "integer";
  return Math.abs(value) < BIGINT_END ? "wide" : "huge";
}

/** Digits after the point of a number that has no more than a double keeps; infinite of any other value. */
export function scaleOf(value: unknown): number {
  const [, whole = "", fraction = ""] = PLAIN.exec(String(value)) ?? [];
  const digits = whole.length + fraction.length;
  return digits > 0 && digits <= SURE_DIGITS ? fraction.length : Infinity;
}
