import { ARMS } from "../arms.js";
import { type Prices, spendingOf } from "../cost.js";
import type { ScoredSample } from "../scored.js";
import { type Interval, wilsonInterval } from "../wilson.js";

/** Conversations of one kind, summed up. */
export interface Cell {
  readonly count: number;
  readonly correct: number;
  readonly interval: Interval;
  /** Mean over the conversations, from 0 to 1. */
  readonly credit: number;
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
    credit: mean(({ credit }) => credit),
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
