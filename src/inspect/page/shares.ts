/**
 * Whole per cents of numbers that add up to 100: what rounding down leaves goes to those that lose most by it. All are 0 where the
 * numbers are.
 */
export function shares(numbers: readonly number[]): readonly number[] {
  const total = numbers.reduce((sum, number) => sum + number, 0);
  if (total <= 0) return numbers.map(() => 0);
  const exact = numbers.map((number) => (100 * number) / total);
  const whole = exact.map((share) => Math.floor(share));
  const left = 100 - whole.reduce((sum, share) => sum + share, 0);
  const lost = exact.map((share, place) => ({ place, rest: share % 1 }));
  const first = lost.toSorted((one, other) => other.rest - one.rest).slice(0, left);
  for (const { place } of first) whole[place] = (whole[place] ?? 0) + 1;
  return whole;
}
