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

/** Runs off the event loop, within memory and time. */
export interface Engine<Query, Result> {
  /**
   * Faults of the query or the data are in the result, with what was found before.
   *
   * @throws {@link OffloadError} with code `STORE_READ_FAILED` if the body cannot be read, `LIMIT_EXCEEDED` if no
   * worker is free or the engine is closed; the signal's reason.
   */
  run(query: Query, signal?: AbortSignal): Promise<Result>;
  /** Starts a worker, if there is none. */
  warm(): void;
  close(): Promise<void>;
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
  function look() {
    const now = performance.now();
    if (status[BEGUN] === 1 || now >= startEndsAt) endsAt ??= now + timeoutMs;
    const leftMs = endsAt === undefined ? LOOK_MS : endsAt + (status[WAITED] ?? 0) - now;
    if (leftMs <= 0) stop();
    else timer = setTimeout(look, Math.min(MAX_TIMER_MS, Math.ceil(leftMs)));
  }
  return () => clearTimeout(timer);
}

export interface OwnRun {
  isOver(): boolean;
  waited(ms: number): void;
}

export function beginRun(limitMs: number): OwnRun {
  const given: { readonly runStatus?: RunStatus } | null = workerData;
  const own = given?.runStatus ?? createRunStatus();
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
