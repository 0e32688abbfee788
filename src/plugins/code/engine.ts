import { performance } from "node:perf_hooks";

import { OffloadError } from "../../core/types/errors.js";
import { createWorkerPool, type PoolOutcome } from "../../core/engines/worker-pool.js";
import { type DrillInLimits, softTimeoutMs } from "../../core/engines/limits.js";
import { openDesk } from "./desk.js";
import { type CodeSettings, resolveCode } from "./options.js";
import { compileBounded } from "./quickjs.js";
import type { CodeEngine, CodeJob, CodeReply, CodeWorkerData } from "./request.js";

const MEBIBYTE = 1024 * 1024;
/** Of a worker's own heap, where records are read whose fields are picked. */
const MAX_WORKER_MB = 128;

/** An engine within the limits of the drill-ins, whose first worker is started by its first run, also after it was closed. */
export function startEngine(
  limits: DrillInLimits,
  { maxMemoryMb, maxKeptBytes }: Pick<CodeSettings, "maxMemoryMb" | "maxKeptBytes"> = resolveCode(
    {},
  ),
): CodeEngine {
  const guestMemoryBytes = maxMemoryMb * MEBIBYTE;
  const poolLimits = { ...limits, maxMemoryMb: Math.min(limits.maxMemoryMb, MAX_WORKER_MB) };
  const startPool = () =>
    createWorkerPool<CodeJob, CodeReply>(async () => {
      const [guestModule, { source }] = await Promise.all([
        compileBounded(guestMemoryBytes),
        import("../../core/engines/worker-source/code.js"),
      ]);
      const given: CodeWorkerData = { guestModule, guestMemoryBytes };
      return { source, given };
    }, poolLimits);
  let pool: ReturnType<typeof startPool> | undefined;

  return {
    async run({ code, host, maxOutputBytes }, signal) {
      signal?.throwIfAborted();
      const beganAt = performance.now();
      const desk = openDesk(host);
      const job: CodeJob = {
        code,
        toolNames: host.tools?.names ?? [],
        maxOutputBytes,
        maxKeptBytes,
        softTimeoutMs: softTimeoutMs(limits.timeoutMs),
        ...desk.address,
      };
      try {
        const outcome = await (pool ??= startPool()).run(job, limits.timeoutMs, signal, [
          desk.address.port,
        ]);
        return { ...replyOf(outcome), ...desk.done(), durationMs: performance.now() - beganAt };
      } finally {
        desk.close();
      }
    },
    warm: () => (pool ??= startPool()).warm(),
    async close() {
      const ended = pool;
      pool = undefined;
      await ended?.close();
    },
  };
}

/** What is known of a run; of one that has cost its worker little. */
function replyOf(outcome: PoolOutcome<CodeReply>): CodeReply {
  switch (outcome.status) {
    case "done":
      return outcome.reply;
    case "timed-out":
      return { read: [], timedOut: true };
    case "out-of-memory":
      return { read: [], outOfMemory: true };
    case "crashed": {
      if (OffloadError.isInstance(outcome.error)) throw outcome.error;
      const message = `The code stopped without an answer: ${String(outcome.error)}`;
      return { read: [], fault: { message } };
    }
  }
}
