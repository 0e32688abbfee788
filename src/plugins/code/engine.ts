import { performance } from "node:perf_hooks";

import { OffloadError } from "../../core/types/errors.js";
import { checkedOptions, optionsOf, size, wholeNumber } from "../../util/option-rules.js";
import { softTimeoutMs } from "../../core/engines/run-clock.js";
import { startWorker } from "../../core/engines/start-worker.js";
import { createWorkerPool, type PoolOutcome } from "../../core/engines/worker-pool.js";
import type { DrillInLimits } from "../../core/engines/limits.js";
import { compileBounded } from "./bounded-module.js";
import { CODE_CALL_RULES, type CodeCallOptions, resolveCodeCalls } from "./call-options.js";
import { openDesk } from "./desk.js";
import { type CodeJob, type CodeReply, type CodeWorkerData, NOTHING_DONE } from "./job.js";
import { quickjsPath } from "./quickjs-package.js";
import type { CodeEngine, CodeEngineStarter } from "./request.js";

export type { CodeCallOptions, CodeCalls } from "./call-options.js";
export type {
  CodeBody,
  CodeEngine,
  CodeEngineStarter,
  CodeFault,
  CodeHost,
  CodeMade,
  CodeRequest,
  CodeResult,
  CodeToolCall,
  CodeToolResult,
  CodeTools,
  MadeOutput,
} from "./request.js";

/** How the code that a model writes is bounded, and which tools it may call. */
export interface CodeEngineOptions extends CodeCallOptions {
  /**
   * Memory of the code in one run, in mebibytes, from 4 to 1,024. Its worker takes some 40 more.
   *
   * @defaultValue `64`
   */
  readonly maxMemoryMb?: number;
  /**
   * Most bytes that one run may store: what it saves, returns and prints together.
   *
   * @defaultValue `268_435_456`
   */
  readonly maxKeptBytes?: number;
}

const MIN_MEMORY_MB = 4;
const MAX_MEMORY_MB = 1024;
const MEBIBYTE = 1024 * 1024;
const DEFAULT_MEMORY_MB = 64;
const DEFAULT_KEPT_BYTES = 256 * MEBIBYTE;
/** Of a worker's own heap, where records are read whose fields are picked. */
const MAX_WORKER_MB = 128;

const schema = optionsOf({
  maxMemoryMb: wholeNumber(MIN_MEMORY_MB, MAX_MEMORY_MB).optional(),
  maxKeptBytes: size.optional(),
  ...CODE_CALL_RULES,
});

/**
 * JavaScript over stored outputs, by QuickJS in workers of its own: `drillIn: { code: codeEngine() }`. Each run starts
 * from a fresh guest that has no environment, files, modules, timers or network.
 *
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when the package `quickjs-wasi` is not installed in a
 * version that is known to hold its bounds, an option cannot be used, or `tools` stand without `interruptOn`.
 */
export function codeEngine(options: CodeEngineOptions = {}): CodeEngineStarter {
  const checked = checkedOptions<CodeEngineOptions>("codeEngine", schema, options);
  const { maxMemoryMb = DEFAULT_MEMORY_MB, maxKeptBytes = DEFAULT_KEPT_BYTES } = checked;
  const path = quickjsPath();
  const start = (limits: DrillInLimits): CodeEngine =>
    startEngine(limits, { path, maxMemoryMb, maxKeptBytes });
  return Object.assign(start, { calls: resolveCodeCalls(checked) });
}

function startEngine(
  limits: DrillInLimits,
  options: Pick<Required<CodeEngineOptions>, "maxMemoryMb" | "maxKeptBytes"> & {
    readonly path: string;
  },
): CodeEngine {
  const guestMemoryBytes = options.maxMemoryMb * MEBIBYTE;
  const workerLimits = { maxMemoryMb: Math.min(limits.maxMemoryMb, MAX_WORKER_MB) };
  const pool = createWorkerPool<CodeJob, CodeReply>(async () => {
    const [guestModule, { source }] = await Promise.all([
      compileBounded(options.path, guestMemoryBytes),
      import("../../core/engines/worker-source/code.js"),
    ]);
    const given: CodeWorkerData = { guestModule, guestMemoryBytes };
    return (status) => startWorker(source, workerLimits, status, given);
  }, limits);

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
