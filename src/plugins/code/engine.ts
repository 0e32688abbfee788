import { performance } from "node:perf_hooks";

import { OffloadError } from "../../core/types/errors.js";
import { createWorkerPool, type PoolOutcome } from "../../core/engines/worker-pool.js";
import { type DrillInLimits, softTimeoutMs } from "../../core/engines/limits.js";
import { compileBounded } from "./bounded-module.js";
import { openDesk } from "./desk.js";
import { type CodeJob, type CodeReply, type CodeWorkerData, NOTHING_DONE } from "./job.js";
import type { CodeEngine } from "./request.js";

/** What one engine is bounded by. */
interface EngineBounds {
  /** Of the package. */
  readonly path: string;
  readonly maxMemoryMb: number;
  readonly maxKeptBytes: number;
}

const MEBIBYTE = 1024 * 1024;
/** Of a worker's own heap, where records are read whose fields are picked. */
const MAX_WORKER_MB = 128;

/** Starts an engine within the limits of the drill-ins. */
export function startEngine(limits: DrillInLimits, options: EngineBounds): CodeEngine {
  const guestMemoryBytes = options.maxMemoryMb * MEBIBYTE;
  const poolLimits = { ...limits, maxMemoryMb: Math.min(limits.maxMemoryMb, MAX_WORKER_MB) };
  const pool = createWorkerPool<CodeJob, CodeReply>(async () => {
    const [guestModule, { source }] = await Promise.all([
      compileBounded(options.path, guestMemoryBytes),
      import("../../core/engines/worker-source/code.js"),
    ]);
    const given: CodeWorkerData = { guestModule, guestMemoryBytes };
    return { source, given };
  }, poolLimits);

  return {
    async run({ code, host, maxOutputBytes }, signal) {
      signal?.throwIfAborted();
      const beganAt = performance.now();
      const desk = openDesk(host);
      const job: CodeJob = {
        code,
        toolNames: host.tools?.names ?? [],
        maxOutputBytes,
        maxKeptBytes: options.maxKeptBytes,
        softTimeoutMs: softTimeoutMs(limits.timeoutMs),
        desk: desk.address,
      };
      try {
        const outcome = await pool.run(job, limits.timeoutMs, signal, [desk.address.port]);
        const reply =
          outcome.status === "done" ? outcome.reply : { ...NOTHING_DONE, ...lostReply(outcome) };
        return { ...reply, ...desk.done(), durationMs: performance.now() - beganAt };
      } finally {
        desk.close();
      }
    },
    warm: () => pool.warm(),
    close: () => pool.close(),
  };
}

/** Of a run that has cost its worker. */
function lostReply(
  outcome: Exclude<PoolOutcome<CodeReply>, { status: "done" }>,
): Partial<CodeReply> {
  if (outcome.status === "timed-out") return { ...outcome.partial, timedOut: true };
  if (outcome.status === "out-of-memory") return { outOfMemory: true };
  if (OffloadError.isInstance(outcome.error)) throw outcome.error;
  return { fault: { message: `The code stopped without an answer: ${String(outcome.error)}` } };
}
