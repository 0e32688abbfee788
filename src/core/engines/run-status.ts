import { workerData } from "node:worker_threads";

import { MAX_TIMER_MS } from "../../util/abort.js";

/** Shared with a busy worker: whether it has begun, and milliseconds spent waiting for tools. */
export type RunStatus = Float64Array;

const BEGUN = 0;
const WAITED = 1;
const SLOTS = 2;

const LOOK_MS = 20;
const MAX_START_MS = 60_000;

export interface RunEnd {
  readonly timedOut: boolean;
  readonly outOfMemory: boolean;
  readonly error: string | undefined;
  /** Why the body could not be read. */
  readonly unreadable?: string | undefined;
}

export const ENDED: RunEnd = { timedOut: false, outOfMemory: false, error: undefined };

export function createRunStatus(): RunStatus {
  return new Float64Array(new SharedArrayBuffer(SLOTS * Float64Array.BYTES_PER_ELEMENT));
}

/**
 * Does not count the start of the worker.
 *
 * @returns Stops the watch.
 */
export function watchRun(status: RunStatus, timeoutMs: number, stop: () => void): () => void {
  status.fill(0);
  const startEndsAt = performance.now() + MAX_START_MS;
  let endsAt: number | undefined;
  let timer = setTimeout(look, LOOK_MS);
  function look(): void {
    const now = performance.now();
    if (status[BEGUN] === 1 || now >= startEndsAt) endsAt ??= now + timeoutMs;
    const leftMs = endsAt === undefined ? LOOK_MS : endsAt + (status[WAITED] ?? 0) - now;
    if (leftMs <= 0) stop();
    else timer = setTimeout(look, Math.min(MAX_TIMER_MS, Math.ceil(leftMs)));
  }
  return () => clearTimeout(timer);
}

function ownStatus(): RunStatus {
  const given: unknown = workerData;
  const isGiven = typeof given === "object" && given !== null && "runStatus" in given;
  return isGiven && given.runStatus instanceof Float64Array ? given.runStatus : createRunStatus();
}

export interface OwnRun {
  isOver(): boolean;
  waited(ms: number): void;
}

export function beginRun(limitMs: number): OwnRun {
  const own = ownStatus();
  own.fill(0);
  own[BEGUN] = 1;
  let endsAt = performance.now() + limitMs;
  return {
    isOver: () => performance.now() >= endsAt,
    waited(ms) {
      endsAt += ms;
      own[WAITED] = (own[WAITED] ?? 0) + ms;
    },
  };
}
