const EXACT_DIGITS = 12;

/** Corrects binary rounding: 0.57 of 100 is 57. */
export function wholePart(fraction: number, total: number): number {
  return Math.floor(Number((fraction * total).toPrecision(EXACT_DIGITS)));
}
