import { Worker } from "node:worker_threads";
import { OffloadError } from "../errors.js";
import type { TextEncodingName } from "../types.js";
import { type DataSource, shareSource } from "./data-source.js";
import type { GrepJob, GrepReply, GrepResult, GrepTask, SurveyReply } from "./grep-job.js";
import type { DrillInLimits } from "./limits.js";
import { ripgrepPath } from "./ripgrep-path.js";
import { createRipgrepSearch, type RipgrepSearch } from "./ripgrep-search.js";
import { createWorkerPool, softTimeoutMs, workerOptions } from "./worker-pool.js";

export type { GrepResult } from "./grep-job.js";

/** One search. */
export interface GrepRequest {
  readonly source: DataSource;
  /** How the source holds its text. Default `utf-8`. */
  readonly encoding?: TextEncodingName | undefined;
  /** RE2 syntax, matched within single lines; an empty pattern matches every line. */
  readonly pattern: string;
  readonly ignoreCase?: boolean | undefined;
  /** Takes the pattern as text. */
  readonly literal?: boolean | undefined;
  /** Lines of context before each hit, 0 to 1,000. Default 0. */
  readonly before?: number | undefined;
  /** Lines of context after each hit, 0 to 1,000. Default 0. */
  readonly after?: number | undefined;
  /** Most hits in the list. Default: as many as fit. */
  readonly maxResults?: number | undefined;
  /** Lists nothing. */
  readonly countOnly?: boolean | undefined;
  /** Finds the lines that do not match. */
  readonly invert?: boolean | undefined;
  readonly maxOutputBytes: number;
  /** Default: the time of the limits. */
  readonly timeoutMs?: number | undefined;
  /** Longest shown part of a line, in UTF-16 code units. Default: that of the limits. */
  readonly maxLineCharacters?: number | undefined;
  /** Number of the source's first line: 2 when a header line comes before it. Default 1. */
  readonly firstLineNumber?: number | undefined;
}

/** Searches stored outputs off the event loop, in time linear in their size. */
export interface GrepEngine {
  /**
   * Searches the whole source: the total is exact even when the list is cut. What is wrong with the
   * pattern is in the result's `error`.
   *
   * @throws {@link OffloadError} with code `STORE_READ_FAILED` when the file cannot be read, and
   * `LIMIT_EXCEEDED` when no worker gets free or the engine is closed.
   * @throws The signal's reason when it is aborted.
   */
  run(request: GrepRequest, signal?: AbortSignal): Promise<GrepResult>;
  /** Starts a worker ahead of the first run. */
  warm(): void;
  /** Ends all workers. */
  close(): Promise<void>;
}

const MAX_CONTEXT_LINES = 1000;

/** Whether large files may be searched by ripgrep. */
export type RipgrepUse = "auto" | "off";

/** Below them the start of a process costs more than the search, of a pattern and of plain text. */
const MIN_RIPGREP_BYTES = 8 * 1024 * 1024;
const MIN_PLAIN_RIPGREP_BYTES = 64 * 1024 * 1024;

/** What a look through the file may take of a search's time; the rest is for the search. */
const SURVEY_SHARE_OF_TIME = 0.5;

/** A line is held as bytes and as text, which may take twice the bytes. */
const LINE_SHARE_OF_MEMORY = 1 / 8;

const NOTHING: GrepResult = {
  lines: [],
  totalMatches: 0,
  truncated: false,
  timedOut: false,
  error: undefined,
};

/**
 * Creates an engine; its workers start with the first run.
 *
 * @param ripgrep - `auto`: large files are searched by the package `@vscode/ripgrep` when it is
 * installed, where it is certain to find the same lines.
 */
export function createGrepEngine(limits: DrillInLimits, ripgrep: RipgrepUse = "auto"): GrepEngine {
  const pool = createWorkerPool<GrepTask, GrepReply | SurveyReply>(
    () => new Worker(new URL("./grep-worker.js", import.meta.url), workerOptions(limits)),
    limits,
  );
  const closing = new AbortController();
  let search: Promise<RipgrepSearch | undefined> | undefined;

  async function loadRipgrep(): Promise<RipgrepSearch | undefined> {
    const executable = await ripgrepPath();
    if (executable === undefined) return undefined;
    return createRipgrepSearch({
      executable,
      minBytes: MIN_RIPGREP_BYTES,
      minPlainBytes: MIN_PLAIN_RIPGREP_BYTES,
      maxProcesses: limits.maxWorkers,
      async survey(job, { deadlineMs, signal }) {
        const timeoutMs = (deadlineMs - performance.now()) * SURVEY_SHARE_OF_TIME;
        if (timeoutMs <= 0) return undefined;
        const task: GrepTask = { kind: "survey", job: { ...job, softTimeoutMs: timeoutMs } };
        const outcome = await pool.run(task, job.softTimeoutMs, signal);
        if (outcome.status !== "done") return undefined;
        return outcome.reply.ok && "survey" in outcome.reply ? outcome.reply.survey : undefined;
      },
    });
  }

  /** The task that is left for a worker. */
  async function taskOf(
    job: GrepJob,
    startedAt: number,
    signal: AbortSignal | undefined,
  ): Promise<GrepTask> {
    if (ripgrep === "off" || "bytes" in job.source) return { kind: "scan", job };
    search ??= loadRipgrep();
    const signals = signal === undefined ? [closing.signal] : [signal, closing.signal];
    const bounds = {
      deadlineMs: startedAt + job.softTimeoutMs,
      signal: AbortSignal.any(signals),
    };
    const found = await (await search)?.(job, bounds);
    if (found !== undefined) return { kind: "list", job, found };
    const softTimeoutMs = Math.max(1, bounds.deadlineMs - performance.now());
    return { kind: "scan", job: { ...job, softTimeoutMs } };
  }

  return {
    async run(request, signal) {
      if (request.pattern.length > limits.maxPatternCharacters) {
        const error = `The pattern has ${request.pattern.length} characters; at most ${limits.maxPatternCharacters} are allowed.`;
        return { ...NOTHING, error };
      }
      signal?.throwIfAborted();
      const startedAt = performance.now();
      const timeoutMs = request.timeoutMs ?? limits.timeoutMs;
      const source = await shareSource(request.source);
      const job = prepare({ ...request, source }, limits, timeoutMs);
      const task = await taskOf(job, startedAt, signal);
      const outcome = await pool.run(task, timeoutMs, signal);
      switch (outcome.status) {
        case "timed-out":
          return { ...NOTHING, timedOut: true };
        case "out-of-memory":
          return { ...NOTHING, error: "The search needed more memory than is allowed." };
        case "crashed":
          return { ...NOTHING, error: `The search stopped: ${String(outcome.error)}` };
        case "done":
          if (outcome.reply.ok && "result" in outcome.reply) return outcome.reply.result;
          throw new OffloadError(
            "STORE_READ_FAILED",
            `The stored output cannot be read: ${outcome.reply.ok ? "no answer" : outcome.reply.message}`,
          );
      }
    },
    warm: () => pool.warm(),
    async close() {
      closing.abort(new OffloadError("LIMIT_EXCEEDED", "The drill-in engine is closed."));
      await pool.close();
    },
  };
}

function prepare(request: GrepRequest, limits: DrillInLimits, timeoutMs: number): GrepJob {
  return {
    source: request.source,
    encoding: request.encoding ?? "utf-8",
    pattern: request.pattern,
    literal: request.literal ?? false,
    ignoreCase: request.ignoreCase ?? false,
    invert: request.invert ?? false,
    before: clamp(request.before ?? 0, MAX_CONTEXT_LINES),
    after: clamp(request.after ?? 0, MAX_CONTEXT_LINES),
    maxResults: request.countOnly === true ? 0 : clamp(request.maxResults ?? Infinity, Infinity),
    maxOutputBytes: request.maxOutputBytes,
    maxLineCharacters: request.maxLineCharacters ?? limits.maxLineCharacters,
    firstLineNumber: request.firstLineNumber ?? 1,
    maxLineBytes: Math.floor(limits.maxMemoryMb * 1024 * 1024 * LINE_SHARE_OF_MEMORY),
    softTimeoutMs: softTimeoutMs(timeoutMs),
  };
}

function clamp(value: number, most: number): number {
  return Math.max(0, Math.min(most, Math.trunc(value)));
}
