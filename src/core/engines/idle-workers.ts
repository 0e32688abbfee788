import type { Worker } from "node:worker_threads";

/** Of all pools of the process: a worker takes some 9 MB, and a program may make an offloader for each request. */
const MAX_IDLE = 16;

/** What ends each, the one that waits for longest first. */
const waiting = new Map<Worker, () => void>();

/** Notes that a worker waits for its next job. Where too many do, the one that has waited for longest is ended. */
export function nowIdle(worker: Worker, end: () => void): void {
  waiting.set(worker, end);
  for (const [longest, endLongest] of waiting) {
    if (waiting.size <= MAX_IDLE) return;
    waiting.delete(longest);
    endLongest();
  }
}

/** Notes that it has one, or is gone. */
export function notIdle(worker: Worker): void {
  waiting.delete(worker);
}
