import { OffloadError } from "../../errors.js";
import type { DrillInLimits } from "../shared/limits.js";

/** Lets a fixed number of runs go on at once; the others wait in order, so many and so long. */
export interface Turns {
  /**
   * Resolves when it is this run's turn, with what ends the turn.
   *
   * @throws {@link OffloadError} with code `LIMIT_EXCEEDED` when too many wait, or the wait was too long.
   * @throws The signal's reason when it is aborted.
   */
  take(signal: AbortSignal | undefined): Promise<() => void>;
}

/** Creates turns for `maxWorkers` runs at once. */
export function createTurns(
  limits: Pick<DrillInLimits, "maxWorkers" | "maxQueueMs" | "maxQueuedRuns">,
): Turns {
  const waiting: (() => void)[] = [];
  let running = 0;

  function end(): void {
    // The turn is handed over, so `running` stays as it is.
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  }

  return {
    async take(signal) {
      signal?.throwIfAborted();
      if (running < limits.maxWorkers) {
        running += 1;
        return end;
      }
      if (waiting.length >= limits.maxQueuedRuns) throw busy(`${limits.maxQueuedRuns} others wait`);
      await new Promise<void>((resolve, reject) => {
        const settle = (): void => {
          clearTimeout(timer);
          signal?.removeEventListener("abort", onAbort);
          const at = waiting.indexOf(start);
          if (at >= 0) waiting.splice(at, 1);
        };
        const start = (): void => {
          settle();
          resolve();
        };
        const onAbort = (): void => {
          settle();
          reject(signal?.reason);
        };
        const timer = setTimeout(() => {
          settle();
          reject(busy(`no turn came within ${limits.maxQueueMs} ms`));
        }, limits.maxQueueMs);
        signal?.addEventListener("abort", onAbort, { once: true });
        waiting.push(start);
      });
      return end;
    },
  };
}

function busy(why: string): OffloadError {
  return new OffloadError(
    "LIMIT_EXCEEDED",
    `The query could not start: ${why}. Try again after the running ones have ended.`,
  );
}
