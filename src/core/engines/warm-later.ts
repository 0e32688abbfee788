import { outsideOfRuns } from "../../util/outside-of-runs.js";

const LATER_MS = 200;

/**
 * Takes a step that nobody waits for, a little later and without keeping the process alive. What it throws is ignored:
 * a system that starts no worker tells so at the first call.
 *
 * @returns What leaves it out, where it was not taken.
 */
export function warmLater(step: () => void): () => void {
  const take = (): void => {
    try {
      step();
    } catch {
      // The first call tells why.
    }
  };
  const timer = outsideOfRuns(() => setTimeout(take, LATER_MS).unref());
  return () => clearTimeout(timer);
}
