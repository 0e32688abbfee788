import { OffloadError } from "../types/errors.js";
import type { DrillInLimits } from "./limits.js";

export interface RunQueue {
  /**
   * Resolves when it is this run's turn, with what ends the turn.
   *
   * @throws {@link OffloadError} with code `LIMIT_EXCEEDED` when too many wait, the wait was too long, or the queue is
   * closed.
   * @throws The signal's reason when it is aborted.
   */
  take(signal: AbortSignal | undefined): Promise<() => void>;
  close(): void;
}

export type QueueLimits = Pick<DrillInLimits, "maxWorkers" | "maxQueueMs" | "maxQueuedRuns">;

interface Waiting {
  readonly start: () => void;
  readonly refuse: (error: unknown) => void;
}

export function createRunQueue({ maxWorkers, maxQueueMs, maxQueuedRuns }: QueueLimits): RunQueue {
  const waiting = new Set<Waiting>();
  let running = 0;
  let closed = false;

  function end(): void {
    // The turn is handed over, so `running` stays as it is.
    const [next] = waiting;
    if (next === undefined) running -= 1;
    else next.start();
  }

  function wait(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (then: () => void): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", onAbort);
        waiting.delete(entry);
        then();
      };
      const entry: Waiting = {
        start: () => settle(resolve),
        refuse: (error) => settle(() => reject(error)),
      };
      const onAbort = (): void => entry.refuse(signal?.reason);
      const late = (): void => entry.refuse(busy(`no worker was free within ${maxQueueMs} ms`));
      const timer = setTimeout(late, maxQueueMs);
      signal?.addEventListener("abort", onAbort, { once: true });
      waiting.add(entry);
    });
  }

  return {
    async take(signal) {
      signal?.throwIfAborted();
      if (closed) throw closedError();
      if (running < maxWorkers) running += 1;
      else if (waiting.size < maxQueuedRuns) await wait(signal);
      else throw busy(`${maxQueuedRuns} others wait already`);
      return end;
    },
    close() {
      closed = true;
      for (const entry of waiting) entry.refuse(closedError());
    },
  };
}

function busy(why: string): OffloadError {
  return new OffloadError(
    "LIMIT_EXCEEDED",
    `The drill-in could not start: ${why}. Try again after the running ones have ended.`,
  );
}

export function closedError(): OffloadError {
  return new OffloadError("LIMIT_EXCEEDED", "The drill-in engine is closed.");
}
