import type { TextEncodingName } from "../../types/content.js";
import { OffloadError } from "../../types/errors.js";
import { type DataSource, shareSource } from "../data-source.js";
import { type GrepJob, type GrepReply, type GrepResult, NO_HITS } from "./job.js";
import type { BodyPart } from "../readers/byte-reader.js";
import { type DrillInLimits, MAX_LINE_CHARACTERS, MAX_PATTERN_CHARACTERS } from "../limits.js";
import { startWorker } from "../start-worker.js";
import { softTimeoutMs } from "../run-clock.js";
import { createWorkerPool } from "../worker-pool.js";

export type { GrepResult } from "./job.js";

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
  /** Hits to leave out of the list at the beginning. Default 0. */
  readonly skip?: number | undefined;
  /** Hits at the end that the list has, all others left out. Default: those at the beginning. */
  readonly last?: number | undefined;
  /** Lists the texts that the pattern takes, each once with its count, in place of lines. */
  readonly onlyMatching?: boolean | undefined;
  /** What of the source is searched: whole lines, bytes from its start. Default: all. */
  readonly part?: BodyPart | undefined;
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
  /** Number of the first line that is searched: 2 when a header line comes before it. Default 1. */
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

/** A line is held as bytes and as text, which may take twice the bytes. */
const LINE_SHARE_OF_MEMORY = 1 / 8;

/** Creates an engine; its workers start with the first run. */
export function createGrepEngine(limits: DrillInLimits): GrepEngine {
  const pool = createWorkerPool<GrepJob, GrepReply>(async () => {
    const { source } = await import("../worker-source/grep.js");
    return (status) => startWorker(source, limits, status);
  }, limits);

  return {
    async run(request, signal) {
      if (request.pattern.length > MAX_PATTERN_CHARACTERS) {
        const error = `The pattern has ${request.pattern.length} characters; at most ${MAX_PATTERN_CHARACTERS} are allowed.`;
        return { ...NO_HITS, error };
      }
      signal?.throwIfAborted();
      const timeoutMs = request.timeoutMs ?? limits.timeoutMs;
      const source = await shareSource(request.source);
      const outcome = await pool.run(
        prepare({ ...request, source }, limits, timeoutMs),
        timeoutMs,
        signal,
      );
      switch (outcome.status) {
        case "timed-out": {
          const { partial, readBytes } = outcome;
          const found = partial?.ok === true ? partial.result : NO_HITS;
          return { ...found, timedOut: true, readBytes };
        }
        case "out-of-memory":
          return { ...NO_HITS, error: "The search needed more memory than is allowed." };
        case "crashed":
          return { ...NO_HITS, error: `The search stopped: ${String(outcome.error)}` };
        case "done":
          if (outcome.reply.ok) return outcome.reply.result;
          throw new OffloadError(
            "STORE_READ_FAILED",
            `The stored output cannot be read: ${outcome.reply.message}`,
          );
      }
    },
    warm: () => pool.warm(),
    close: () => pool.close(),
  };
}

function prepare(request: GrepRequest, limits: DrillInLimits, timeoutMs: number): GrepJob {
  return {
    source: request.source,
    part: request.part,
    encoding: request.encoding ?? "utf-8",
    pattern: request.pattern,
    literal: request.literal ?? false,
    ignoreCase: request.ignoreCase ?? false,
    invert: request.invert ?? false,
    before: clamp(request.before ?? 0, MAX_CONTEXT_LINES),
    after: clamp(request.after ?? 0, MAX_CONTEXT_LINES),
    onlyMatching: request.onlyMatching ?? false,
    skip: request.skip ?? 0,
    last: request.last ?? 0,
    maxResults: request.countOnly === true ? 0 : clamp(request.maxResults ?? Infinity, Infinity),
    maxOutputBytes: request.maxOutputBytes,
    maxLineCharacters: request.maxLineCharacters ?? MAX_LINE_CHARACTERS,
    firstLineNumber: request.firstLineNumber ?? 1,
    maxLineBytes: Math.floor(limits.maxMemoryMb * 1024 * 1024 * LINE_SHARE_OF_MEMORY),
    softTimeoutMs: softTimeoutMs(timeoutMs),
  };
}

function clamp(value: number, most: number): number {
  return Math.max(0, Math.min(most, Math.trunc(value)));
}
