const EXACT_DIGITS = 12;

/**
 * The whole part of a fraction of a total. What binary fractions lose is made good: 0.57 of 100 is 57.
 */
export function wholePart(fraction: number, total: number): number {
  return Math.floor(Number((fraction * total).toPrecision(EXACT_DIGITS)));
}
