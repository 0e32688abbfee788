import { shareSource } from "../data-source.js";
import { type GrepJob, type GrepQuery, type GrepResult, NO_HITS } from "./job.js";
import { type DrillInLimits, MAX_LINE_CHARACTERS, softTimeoutMs } from "../limits.js";
import type { Engine } from "../run-status.js";
import { createWorkerPool } from "../worker-pool.js";

export type { GrepQuery, GrepResult } from "./job.js";

/** In linear time. The total is exact even if the list is cut. */
export type GrepEngine = Engine<GrepQuery, GrepResult>;

const NO_MEMORY = "The search needed more memory than is allowed.";
/** A line is held as bytes and as text. */
const LINE_SHARE_OF_MEMORY = 1 / 8;

export function createGrepEngine(limits: DrillInLimits): GrepEngine {
  const pool = createWorkerPool<GrepJob, GrepResult>(
    "The search",
    NO_HITS,
    () => import("../worker-source/grep.js"),
    limits,
  );

  return {
    ...pool,
    async run(query, signal) {
      const { timeoutMs, maxMemoryMb } = limits;
      const job: GrepJob = {
        ...query,
        source: await shareSource(query.source),
        maxLineCharacters: MAX_LINE_CHARACTERS,
        maxLineBytes: Math.floor(maxMemoryMb * 2 ** 20 * LINE_SHARE_OF_MEMORY),
        softTimeoutMs: softTimeoutMs(timeoutMs),
      };
      const result = await pool.run(job, timeoutMs, signal);
      return result.outOfMemory ? { ...result, error: NO_MEMORY } : result;
    },
  };
}
