export interface DrillInLimits {
  /**
   * Longest answer of one drill-in that asks for no length, in tokens, notes included. An answer of exactly this size
   * is whole.
   *
   * @remarks Set it when answers are cut too early, or too late, for your model.
   * @defaultValue `2000`
   */
  readonly maxOutputTokens: number;
  /** Longest answer that a drill-in can ask for by `max_tokens`, in tokens, notes included. */
  readonly maxRequestedTokens: number;
  /**
   * Longest time of one engine run, in milliseconds of wall time. Waiting for a free worker and its
   * start are not included. The worker of a longer run is ended.
   *
   * @remarks Set it when questions over very large outputs run out of time.
   * @defaultValue `30_000`
   */
  readonly timeoutMs: number;
  /** Longest wait for a free worker, in milliseconds. */
  readonly maxQueueMs: number;
  /** Runs that may wait for a free worker of one engine; one more is refused at once. */
  readonly maxQueuedRuns: number;
  /**
   * Largest memory of one worker, in mebibytes: of its JavaScript heap, and again of jq, which itself never takes more than 256.
   * At least 16 for jq to start.
   */
  readonly maxMemoryMb: number;
  /** Workers of one engine; that many runs go on at once. They are started on first use and kept. */
  readonly maxWorkers: number;
  /**
   * Largest output that an engine hands back before it is measured in tokens, in bytes. A single result above it is left
   * out, never cut.
   */
  readonly maxOutputBytes: number;
}

/** Longest jq filter or SQL query, JavaScript and search pattern, and longest shown part of a line, in UTF-16 code units. */
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

/** Most time that is held back for the answer's way home, in milliseconds. */
const MAX_MARGIN_MS = 100;

/**
 * When a run gives up by itself, in milliseconds: a little before the time at which it would be ended from outside,
 * so that what it has found is not lost.
 */
export function softTimeoutMs(timeoutMs: number): number {
  return timeoutMs - Math.min(MAX_MARGIN_MS, timeoutMs / 10);
}
