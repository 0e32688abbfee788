import { performance } from "node:perf_hooks";

import { outsideOfRuns } from "../../util/outside-of-runs.js";

const LOOK_MS = 100;
/** Of the time since the last look. */
const IDLE_SHARE = 0.5;

/**
 * Runs a step once this thread has been mostly idle for a while, without keeping the process alive. Errors are
 * ignored; the first call reports them.
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
