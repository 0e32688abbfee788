import { workerData } from "node:worker_threads";

/**
 * What a worker tells of its run, in memory that its engine sees while the worker answers nothing: whether it has begun,
 * and how long it has waited for tools.
 */
export type RunStatus = Float64Array;

const BEGUN = 0;
const WAITED = 1;
const SLOTS = 2;

/** How the run of an engine ended that reads a body. */
export interface RunEnd {
  readonly timedOut: boolean;
  readonly outOfMemory: boolean;
  /** What is wrong with the question or the data, in the engine's own words; what was found before is kept. */
  readonly error: string | undefined;
}

/** Of a run that came to its end. */
export const ENDED: RunEnd = { timedOut: false, outOfMemory: false, error: undefined };

/** Memory for a worker's status, to be handed to it as `workerData.runStatus`. */
export function createRunStatus(): RunStatus {
  return new Float64Array(new SharedArrayBuffer(SLOTS * Float64Array.BYTES_PER_ELEMENT));
}

/** Forgets the run before. */
export function clearRunStatus(status: RunStatus): void {
  status.fill(0);
}

/** Whether the worker is ready and has begun its run. */
export function hasBegun(status: RunStatus): boolean {
  return status[BEGUN] === 1;
}

/** How long the worker's run has waited for tools, in milliseconds. */
export function waitedMsOf(status: RunStatus): number {
  return status[WAITED] ?? 0;
}

/** This worker's own; memory that nobody looks at where it is none. */
function ownStatus(): RunStatus {
  const given: unknown = workerData;
  const isGiven = typeof given === "object" && given !== null && "runStatus" in given;
  return isGiven && given.runStatus instanceof Float64Array ? given.runStatus : createRunStatus();
}

/** A run as its worker sees it. */
export interface OwnRun {
  /** Whether its time is over. */
  isOver(): boolean;
  /** Notes that it has waited for tools, which have a time limit of their own. */
  waited(ms: number): void;
}

/** Begins a run in this worker that may take so long. */
export function beginRun(limitMs: number): OwnRun {
  const own = ownStatus();
  clearRunStatus(own);
  own[BEGUN] = 1;
  const endsAt = performance.now() + limitMs;
  return {
    isOver: () => performance.now() >= endsAt + waitedMsOf(own),
    waited(ms) {
      own[WAITED] = waitedMsOf(own) + ms;
    },
  };
}
