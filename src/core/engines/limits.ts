export interface DrillInLimits {
  /**
   * Longest answer of a drill-in that does not set `max_tokens`, in tokens, notes included. An answer of exactly this
   * size is whole.
   *
   * @remarks Set it when answers are cut too early, or too late, for your model.
   * @defaultValue `2000`
   */
  readonly maxOutputTokens: number;
  /** Largest `max_tokens` of a drill-in, notes included. */
  readonly maxRequestedTokens: number;
  /**
   * Longest time of one engine run, in milliseconds. Queueing and the start of a worker are not included. A worker
   * that exceeds it is terminated.
   *
   * @remarks Set it when questions over very large outputs run out of time.
   * @defaultValue `30_000`
   */
  readonly timeoutMs: number;
  /** Longest wait for a free worker, in milliseconds. */
  readonly maxQueueMs: number;
  /** Runs that may wait for a worker of one engine; further ones are refused. */
  readonly maxQueuedRuns: number;
  /**
   * Memory of one worker in mebibytes, for its JavaScript heap and again for jq, which never takes more than 256. jq
   * needs at least 16 to start.
   */
  readonly maxMemoryMb: number;
  /** Concurrent runs of one engine. Workers start on first use and are kept. */
  readonly maxWorkers: number;
  /**
   * Largest raw output of an engine in bytes, before tokens are counted. A single result above it is left out, not
   * cut.
   */
  readonly maxOutputBytes: number;
}

/** In UTF-16 code units. */
export const MAX_FILTER_CHARACTERS = 16_384;
export const MAX_CODE_CHARACTERS = 32_768;
export const MAX_PATTERN_CHARACTERS = 1000;
export const MAX_LINE_CHARACTERS = 500;

export const DEFAULT_DRILL_IN_LIMITS: DrillInLimits = {
  maxOutputTokens: 2000,
  maxRequestedTokens: 8000,
  timeoutMs: 30_000,
  maxQueueMs: 10_000,
  maxQueuedRuns: 64,
  maxMemoryMb: 256,
  maxWorkers: 2,
  maxOutputBytes: 1_048_576,
};

/** In milliseconds. */
const MAX_MARGIN_MS = 100;

/** Shortly before the worker is terminated, so that its results are not lost. */
export function softTimeoutMs(timeoutMs: number): number {
  return timeoutMs - Math.min(MAX_MARGIN_MS, timeoutMs / 10);
}
