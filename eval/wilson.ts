/** Bounds of a share, from 0 to 1. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** Standard deviations of a normal distribution that hold 95 %. */
const Z = 1.959964;

/** The 95 % interval of Wilson for so many successes in so many trials; from 0 to 1 without trials. */
export function wilsonInterval(successes: number, trials: number): Interval {
  if (trials === 0) return { low: 0, high: 1 };
  const share = successes / trials;
  const spread = Z * Math.sqrt((share * (1 - share)) / trials + (Z / (2 * trials)) ** 2);
  const middle = share + Z ** 2 / (2 * trials);
  const scale = 1 + Z ** 2 / trials;
  return {
    low: Math.max(0, (middle - spread) / scale),
    high: Math.min(1, (middle + spread) / scale),
  };
}
