import { performance } from "node:perf_hooks";

import { outsideOfRuns } from "../../util/outside-of-runs.js";

/** Between two looks at the event loop, and between two steps. */
const LOOK_MS = 100;
/** Of the time since the last look. */
const IDLE_SHARE = 0.5;
/** Whoever is busy for longer is not disturbed. */
const MAX_LOOKS = 100;

/** Steps that nobody waits for. */
export interface IdleSteps {
  /** Leaves out those that were not taken. */
  stop(): void;
}

/**
 * Takes steps one after the other, each when this thread has had little to do for a while. They do not keep the process
 * alive; what one throws ends them.
 *
 * @param onEnd - Called once when there is nothing left to do.
 */
export function whenIdle(steps: readonly (() => void)[], onEnd?: () => void): IdleSteps {
  const left = [...steps];
  let looks = 0;
  let before = performance.eventLoopUtilization();
  const timer = outsideOfRuns(() => setInterval(look, LOOK_MS).unref());

  function stop(): void {
    clearInterval(timer);
    onEnd?.();
  }

  function look(): void {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    looks += 1;
    try {
      if (utilization < IDLE_SHARE) left.shift()?.();
    } catch {
      left.length = 0;
    }
    if (left.length === 0 || looks === MAX_LOOKS) stop();
  }

  return { stop };
}
