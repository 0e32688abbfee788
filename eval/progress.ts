import { type Prices, spendingOf } from "./cost.js";
import type { Sample } from "./sample.js";

/** The state of a run, told as one line. */
export interface Progress {
  /** Takes a conversation in, and gives the line. */
  readonly add: (sample: Sample) => string;
  readonly usedTokens: () => number;
}

/** Follows a run of so many conversations. */
export function createProgress(total: number, prices: Prices | undefined): Progress {
  const start = Date.now();
  let [done, tokens, cost] = [0, 0, 0];
  return {
    usedTokens: () => tokens,
    add: (sample) => {
      const spent = spendingOf(sample.calls, prices);
      done += 1;
      tokens += spent.inputTokens + spent.outputTokens;
      cost += spent.cost ?? 0;
      const leftMs = ((Date.now() - start) / done) * (total - done);
      return [
        `${done}/${total}`,
        `${sample.arm} · ${sample.scale} ${sample.corpus} · ${sample.kind}: ${sample.outcome}`,
        `${shortNumber(tokens)} tokens`,
        ...(prices === undefined ? [] : [`cost ${cost.toFixed(2)}`]),
        `${duration(leftMs)} left`,
      ].join(" · ");
    },
  };
}

/** `950`, `12.3k`, `4.56M`. */
export function shortNumber(number: number): string {
  if (number < 1_000) return String(Math.round(number));
  if (number < 999_500) return `${(number / 1_000).toPrecision(3)}k`;
  return `${(number / 1e6).toPrecision(3)}M`;
}

function duration(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  if (seconds < 90) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${(minutes / 60).toFixed(1)} h`;
}
