import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout } from "node:timers/promises";

/** How long the event loop is held at most while something runs, in milliseconds. */
export async function longestDelay(run: () => Promise<unknown>): Promise<number> {
  globalThis.gc?.();
  await setTimeout(100);
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  await run();
  delays.disable();
  return delays.max / 1e6;
}
