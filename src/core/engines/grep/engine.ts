import { OffloadError } from "../../types/errors.js";
import { shareSource } from "../data-source.js";
import { type GrepJob, type GrepReply, type GrepRequest, type GrepResult, NO_HITS } from "./job.js";
import {
  type DrillInLimits,
  MAX_LINE_CHARACTERS,
  MAX_PATTERN_CHARACTERS,
  softTimeoutMs,
} from "../limits.js";
import { createWorkerPool } from "../worker-pool.js";

export type { GrepRequest, GrepResult } from "./job.js";

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

/** A line is held as bytes and as text, which may take twice the bytes. */
const LINE_SHARE_OF_MEMORY = 1 / 8;

/** Creates an engine; its workers start with the first run. */
export function createGrepEngine(limits: DrillInLimits): GrepEngine {
  const pool = createWorkerPool<GrepJob, GrepReply>(
    () => import("../worker-source/grep.js"),
    limits,
  );

  return {
    async run(request, signal) {
      if (request.pattern.length > MAX_PATTERN_CHARACTERS) {
        const error = `The pattern has ${request.pattern.length} characters; at most ${MAX_PATTERN_CHARACTERS} are allowed.`;
        return { ...NO_HITS, error };
      }
      signal?.throwIfAborted();
      const { timeoutMs, maxMemoryMb } = limits;
      const job: GrepJob = {
        ...request,
        source: await shareSource(request.source),
        maxLineCharacters: MAX_LINE_CHARACTERS,
        maxLineBytes: Math.floor(maxMemoryMb * 2 ** 20 * LINE_SHARE_OF_MEMORY),
        softTimeoutMs: softTimeoutMs(timeoutMs),
      };
      const outcome = await pool.run(job, timeoutMs, signal);
      switch (outcome.status) {
        case "timed-out":
          return { ...NO_HITS, timedOut: true };
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
