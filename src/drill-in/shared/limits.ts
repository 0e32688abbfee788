/** Bounds of every drill-in. Whatever a model asks for, no run costs more than these. */
export interface DrillInLimits {
  /**
   * Longest answer of one drill-in that asks for no length, in tokens, notes included. An answer of exactly this size
   * is whole.
   *
   * @remarks Set it when answers are cut too early, or too late, for your model.
   * @defaultValue `2000`
   */
  readonly maxOutputTokens: number;
  /**
   * Longest answer that a drill-in can ask for by `max_tokens`, in tokens, notes included. No answer is longer than
   * what the context window has left, where that is known.
   *
   * @remarks Set it when whole documents are to be read in one call, or windows are small.
   * @defaultValue `8000`
   */
  readonly maxRequestedTokens: number;
  /**
   * Longest time of one engine run, in milliseconds of wall time. Waiting for a free worker and its
   * start are not included. The worker of a longer run is ended.
   *
   * @remarks Set it when questions over very large outputs run out of time.
   * @defaultValue `30_000`
   */
  readonly timeoutMs: number;
  /**
   * Longest wait for a free worker, in milliseconds.
   *
   * @remarks Set it when many agents share one process.
   * @defaultValue `10_000`
   */
  readonly maxQueueMs: number;
  /**
   * Runs that may wait for a free worker of one engine; one more is refused at once.
   *
   * @remarks Set it when many agents share one process.
   * @defaultValue `64`
   */
  readonly maxQueuedRuns: number;
  /**
   * Largest memory of one worker, in mebibytes: of its JavaScript heap, and again of jq, which
   * itself never takes more than 256. At least 16 for jq to start.
   *
   * @remarks Set it when filters hold much at once, or the machine is small.
   * @defaultValue `256`
   */
  readonly maxMemoryMb: number;
  /**
   * Workers of one engine; that many runs go on at once. They are started on first use and kept.
   *
   * @remarks Set it when many agents share one process with more cores.
   * @defaultValue `2`
   */
  readonly maxWorkers: number;
  /**
   * Largest output that an engine hands back before it is measured in tokens, in bytes. A single
   * result above it is left out, never cut.
   *
   * @remarks Set it when single results are larger.
   * @defaultValue `1_048_576`
   */
  readonly maxOutputBytes: number;
  /**
   * Longest jq filter, in UTF-16 code units.
   *
   * @remarks Set it when filters are made by a program.
   * @defaultValue `16_384`
   */
  readonly maxFilterCharacters: number;
  /**
   * Longest JavaScript of one call, in UTF-16 code units.
   *
   * @remarks Set it when code is made by a program.
   * @defaultValue `32_768`
   */
  readonly maxCodeCharacters: number;
  /**
   * Longest search pattern, in UTF-16 code units.
   *
   * @remarks Set it when patterns are made by a program.
   * @defaultValue `1_000`
   */
  readonly maxPatternCharacters: number;
  /**
   * Longest shown part of one line of a search result, in UTF-16 code units; a longer line is cut
   * around the hit.
   *
   * @remarks Set it when lines are long and their hits need more around them.
   * @defaultValue `500`
   */
  readonly maxLineCharacters: number;
}

/** The limits that hold when none are given. */
export const DEFAULT_DRILL_IN_LIMITS: DrillInLimits = {
  maxOutputTokens: 2000,
  maxRequestedTokens: 8000,
  timeoutMs: 30_000,
  maxQueueMs: 10_000,
  maxQueuedRuns: 64,
  maxMemoryMb: 256,
  maxWorkers: 2,
  maxOutputBytes: 1_048_576,
  maxFilterCharacters: 16_384,
  maxCodeCharacters: 32_768,
  maxPatternCharacters: 1000,
  maxLineCharacters: 500,
};
