import { MAX_TIMER_MS } from "../../util/abort.js";
import { hasBegun, type RunStatus, waitedMsOf } from "./run-status.js";

/** Between two looks at whether a worker has begun. */
const LOOK_MS = 20;
/** A start that takes longer is time of the run. */
const MAX_START_MS = 60_000;
/** Most time that is held back for the answer's way home, in milliseconds. */
const MAX_MARGIN_MS = 100;

/**
 * Calls `stop` when a worker's run has had its time, also while it answers nothing. The start of the worker is none of it.
 *
 * @returns What ends the watch.
 */
export function watchRun(status: RunStatus, timeoutMs: number, stop: () => void): () => void {
  const startEndsAt = performance.now() + MAX_START_MS;
  let endsAt: number | undefined;
  let timer = setTimeout(look, LOOK_MS);
  function look(): void {
    const now = performance.now();
    if (hasBegun(status) || now >= startEndsAt) endsAt ??= now + timeoutMs;
    const leftMs = endsAt === undefined ? LOOK_MS : endsAt + waitedMsOf(status) - now;
    if (leftMs <= 0) stop();
    else timer = setTimeout(look, Math.min(MAX_TIMER_MS, Math.ceil(leftMs)));
  }
  return () => clearTimeout(timer);
}

/**
 * When a run gives up by itself, in milliseconds: a little before the time at which it would be ended from outside,
 * so that what it has found is not lost.
 */
export function softTimeoutMs(timeoutMs: number): number {
  return timeoutMs - Math.min(MAX_MARGIN_MS, timeoutMs / 10);
}
