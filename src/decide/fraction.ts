import { OffloadError } from "../errors.js";

/** Digits that a product of two numbers keeps; the rest is what binary fractions add. */
const EXACT_DIGITS = 12;

/**
 * The whole part of a fraction of a total. What binary fractions lose is made good: 0.57 of 100 is 57.
 */
export function wholePart(fraction: number, total: number): number {
  return Math.floor(Number((fraction * total).toPrecision(EXACT_DIGITS)));
}

/**
 * Refuses what is no fraction from 0 to 1.
 *
 * @throws {@link OffloadError} with code `INVALID_OPTIONS`, naming the option.
 */
export function requireFraction(name: string, value: number): void {
  if (value >= 0 && value <= 1) return;
  throw new OffloadError(
    "INVALID_OPTIONS",
    `${name} is ${value}. Use a number from 0 to 1, such as 0.25 for a quarter.`,
  );
}

/**
 * Refuses what is no whole number from `least` up.
 *
 * @throws {@link OffloadError} with code `INVALID_OPTIONS`, naming the option.
 */
export function requireWhole(name: string, value: number, least = 0): void {
  if (Number.isSafeInteger(value) && value >= least) return;
  throw new OffloadError(
    "INVALID_OPTIONS",
    `${name} is ${value}. Use a whole number from ${least} up.`,
  );
}
