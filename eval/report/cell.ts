import { ARMS } from "../arms.js";
import { type Prices, spendingOf } from "../cost.js";
import type { ScoredSample } from "../scored.js";

/** Bounds of a share, from 0 to 1. */
interface Interval {
  readonly low: number;
  readonly high: number;
}

/** Standard deviations of a normal distribution that hold 95 %. */
const Z = 1.959964;

/** The 95 % interval of Wilson for so many successes in so many trials; from 0 to 1 without trials. */
function wilsonInterval(successes: number, trials: number): Interval {
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

/** Conversations of one kind, summed up. */
export interface Cell {
  readonly count: number;
  readonly correct: number;
  readonly interval: Interval;
  /** Means of one conversation. */
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
  readonly cost: number | undefined;
  readonly modelCalls: number;
  /** Share of the records that the model was shown. */
  readonly seen: number;
  readonly didNotFit: number;
  readonly turnLimit: number;
  readonly offloaded: number;
}

/** Sums conversations up; `undefined` when there are none. */
export function cellOf(samples: readonly ScoredSample[], prices?: Prices): Cell | undefined {
  const count = samples.length;
  if (count === 0) return undefined;
  const mean = (of: (sample: ScoredSample) => number): number =>
    samples.reduce((sum, sample) => sum + of(sample), 0) / count;
  const number = (is: (sample: ScoredSample) => boolean): number => samples.filter(is).length;
  const correct = number((sample) => sample.correct);
  const spent = spendingOf(
    samples.flatMap(({ calls }) => calls),
    prices,
  );
  return {
    count,
    correct,
    interval: wilsonInterval(correct, count),
    inputTokens: spent.inputTokens / count,
    cachedTokens: spent.cachedTokens / count,
    outputTokens: spent.outputTokens / count,
    cost: spent.cost === undefined ? undefined : spent.cost / count,
    modelCalls: mean(({ calls }) => calls.length),
    seen: mean(({ recordsSeen, scale }) => recordsSeen / scale),
    didNotFit: number(({ outcome }) => outcome === "did-not-fit"),
    turnLimit: number(({ outcome }) => outcome === "turn-limit"),
    offloaded: number((sample) => sample.offloaded),
  };
}

/** The arms that were run, in the order of the tables. */
export function armsIn(samples: readonly ScoredSample[]): string[] {
  return ARMS.map(({ name }) => name).filter((name) => samples.some(({ arm }) => arm === name));
}

/** The scales that were run, small ones first. */
export function scalesIn(samples: readonly ScoredSample[]): number[] {
  return [...new Set(samples.map(({ scale }) => scale))].toSorted((one, other) => one - other);
}
