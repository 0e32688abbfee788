import { performance } from "node:perf_hooks";

import { outsideOfRuns } from "../../util/outside-of-runs.js";

const LOOK_MS = 100;
/** Of the time since the last look. */
const IDLE_SHARE = 0.5;

/**
 * Takes a step that nobody waits for when this thread has had little to do for a while, without keeping the process alive.
 * What it throws is ignored: a system that starts no worker tells so at the first call.
 *
 * @returns What leaves it out, where it was not taken.
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
