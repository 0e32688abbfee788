import { performance } from "node:perf_hooks";

import { outsideOfRuns } from "../../util/outside-of-runs.js";

const LOOK_MS = 100;
const IDLE_SHARE = 0.5;

/**
 * Takes a step each time this thread is mostly idle. Errors are ignored.
 *
 * @returns Cancels the steps that are left.
 */
export function warmLater(steps: readonly (() => unknown)[]): () => void {
  const left = steps.values();
  let before = performance.eventLoopUtilization();
  const look = () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    if (utilization >= IDLE_SHARE) return;
    const { value: step } = left.next();
    if (step === undefined) clearInterval(timer);
    // The first call tells why one cannot be taken.
    void Promise.resolve()
      .then(step)
      .catch(() => {});
  };
  const timer = outsideOfRuns(() => setInterval(look, LOOK_MS).unref());
  return () => clearInterval(timer);
}
