import { performance } from "node:perf_hooks";

import { outsideOfRuns } from "../../util/outside-of-runs.js";

const LOOK_MS = 100;
const IDLE_SHARE = 0.5;

/**
 * Waits until this thread is mostly idle. Errors are ignored.
 *
 * @returns Cancels the step.
 */
export function warmLater(step: () => void): () => void {
  let before = performance.eventLoopUtilization();
  const look = (): void => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    if (utilization >= IDLE_SHARE) return;
    clearInterval(timer);
    try {
      step();
    } catch {
      // The first call tells why.
    }
  };
  const timer = outsideOfRuns(() => setInterval(look, LOOK_MS).unref());
  return () => clearInterval(timer);
}
