import { workerData } from "node:worker_threads";

import type { ByteReader } from "./readers/byte-reader.js";
import { OWN_THREAD, ownThreadId, processorTimeMs, threadPath } from "./processor-time.js";
import { startRunClock, type StoppedTime } from "./run-clock.js";

/**
 * What a worker tells of its run, in memory that its engine sees while the worker answers nothing: the system's
 * number of its thread, the thread's processor time when the run began, bytes of the input that it has read, and how
 * long it has waited for tools.
 */
export type RunStatus = Float64Array;

const THREAD = 0;
const BEGAN = 1;
const READ = 2;
const WAITED = 3;
const SLOTS = 4;
/** Of a thread that cannot tell its number; 0 is that of one that has told nothing yet. */
const UNKNOWN = -1;
const NOT_BEGUN = -1;

/** Memory for a worker's status, to be handed to it as `workerData.runStatus`. */
export function createRunStatus(): RunStatus {
  return new Float64Array(new SharedArrayBuffer(SLOTS * Float64Array.BYTES_PER_ELEMENT));
}

/** Forgets the run before. */
export function clearRunStatus(status: RunStatus): void {
  status[BEGAN] = NOT_BEGUN;
  status[READ] = 0;
  status[WAITED] = 0;
}

/** Processor time of the worker's run so far; what it takes to start the worker is none of it. */
export function runTimeMs(status: RunStatus): number | undefined {
  const [thread = 0, beganMs = NOT_BEGUN] = status;
  if (thread === UNKNOWN) return undefined;
  if (thread === 0 || beganMs === NOT_BEGUN) return 0;
  const ms = processorTimeMs(threadPath(thread));
  return ms === undefined ? undefined : ms - beganMs;
}

/** Bytes of its input that the worker's run has read. */
export function readBytesOf(status: RunStatus): number {
  return status[READ] ?? 0;
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
  /** The limit that it has passed, if it has one passed, and how far it had come. */
  passed(): StoppedTime | undefined;
  /** The same reader; what it reads is counted. */
  counting(reader: ByteReader): ByteReader;
  /** Forgets what was read: it is read once more. */
  readAnew(): void;
  /** Notes that it has waited for tools, which have a time limit of their own. */
  waited(ms: number): void;
}

/** Begins a run in this worker that may take so long. */
export function beginRun(limitMs: number): OwnRun {
  const own = ownStatus();
  const beganMs = processorTimeMs(OWN_THREAD);
  own[READ] = 0;
  own[WAITED] = 0;
  own[BEGAN] = beganMs ?? 0;
  own[THREAD] = (beganMs === undefined ? undefined : ownThreadId()) ?? UNKNOWN;
  const usedMs = (): number | undefined => {
    const ms = processorTimeMs(OWN_THREAD);
    return ms === undefined || beganMs === undefined ? undefined : ms - beganMs;
  };
  const clock = startRunClock(limitMs, usedMs, () => waitedMsOf(own));
  return {
    passed() {
      const time = clock.passed();
      return time && { ...time, readBytes: readBytesOf(own) };
    },
    counting: (reader) => ({
      read(target) {
        const count = reader.read(target);
        own[READ] = readBytesOf(own) + count;
        return count;
      },
      close: () => reader.close(),
    }),
    readAnew() {
      own[READ] = 0;
    },
    waited(ms) {
      own[WAITED] = waitedMsOf(own) + ms;
    },
  };
}
