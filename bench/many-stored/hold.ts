import { existsSync, openSync, readSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";

/** Of this thread: nanoseconds on a processor come first. */
const THREAD_TIME = "/proc/thread-self/schedstat";

/** How long a job took, and the most that it worked between two turns of the event loop. */
export interface Hold {
  readonly heldMs: number;
  readonly wholeMs: number;
}

/** Runs a job beside a timer that is always due: processor time where the system tells it. */
export async function longestHold(job: () => Promise<unknown>): Promise<Hold> {
  globalThis.gc?.();
  await wait(100);
  const time = threadTime();
  let heldMs = 0;
  let last = time();
  let isOver = false;
  const turn = (): void => {
    const at = time();
    heldMs = Math.max(heldMs, at - last);
    last = at;
    if (!isOver) setTimeout(turn, 0);
  };
  turn();
  const start = performance.now();
  await job();
  const wholeMs = performance.now() - start;
  await wait(20);
  isOver = true;
  return { heldMs, wholeMs };
}

function threadTime(): () => number {
  if (!existsSync(THREAD_TIME)) return () => performance.now();
  const file = openSync(THREAD_TIME, "r");
  const text = Buffer.alloc(64);
  return () => {
    const length = readSync(file, text, 0, text.length, 0);
    return Number.parseInt(text.toString("latin1", 0, length), 10) / 1e6;
  };
}
