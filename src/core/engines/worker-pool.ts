import { onceAborted } from "../../util/abort.js";
import { type Transferable, Worker } from "node:worker_threads";

import { outsideOfRuns } from "../../util/outside-of-runs.js";
import { OffloadError } from "../types/errors.js";
import type { DrillInLimits } from "./limits.js";
import {
  createRunStatus,
  type Engine,
  type RunEnd,
  type RunStatus,
  watchRun,
} from "./run-status.js";

const MAX_IDLE = 16;

interface Member {
  readonly worker: Worker;
  readonly status: RunStatus;
}

const allIdle = new Set<Member>();

export interface WorkerPool<Job, Result> extends Omit<Engine<Job, Result>, "run"> {
  /**
   * A run that is stopped or crashes has the empty result, and says so in it.
   *
   * @param timeoutMs - Without the start of a worker.
   * @param transfer - What to transfer instead of copy.
   * @throws {@link OffloadError} with code `STORE_READ_FAILED` if the body could not be read, `LIMIT_EXCEEDED` if too
   * many runs wait, the wait was too long, or the pool is closed; the signal's reason, which terminates the worker.
   */
  run(
    job: Job,
    timeoutMs: number,
    signal?: AbortSignal,
    transfer?: readonly Transferable[],
  ): Promise<Result>;
}

interface WorkerProgram {
  readonly source: string;
  readonly given?: object;
}

/**
 * Idle workers do not keep the process alive; all pools together keep at most sixteen. A run that fails costs its
 * worker.
 *
 * @param load - Called once. If it fails, so does each run.
 */
export function createWorkerPool<Job, Result extends RunEnd>(
  engine: string,
  nothing: Result,
  load: () => Promise<WorkerProgram>,
  limits: QueueLimits & Pick<DrillInLimits, "maxMemoryMb">,
): WorkerPool<Job, Result> {
  const queue = createRunQueue(limits);
  const alive = new Set<Member>();
  let loaded: Promise<WorkerProgram> | undefined;
  let closed = false;

  const loadOnce = (): Promise<WorkerProgram> => (loaded ??= outsideOfRuns(load));

  function start(program: WorkerProgram): Member {
    const status = createRunStatus();
    const worker = outsideOfRuns(() => startWorker(program, limits.maxMemoryMb, status));
    const member = { worker, status };
    alive.add(member);
    worker.unref();
    // A worker with a fault ends as well.
    worker.on("error", () => allIdle.delete(member));
    worker.on("exit", () => {
      alive.delete(member);
      allIdle.delete(member);
    });
    return member;
  }

  function rest(member: Member) {
    allIdle.add(member);
    const [longest] = allIdle;
    if (allIdle.size > MAX_IDLE && longest !== undefined) void end(longest);
  }

  function end(member: Member): Promise<unknown> {
    allIdle.delete(member);
    return member.worker.terminate();
  }

  async function warmUp() {
    const program = await loadOnce();
    if (!closed && alive.size === 0) rest(start(program));
  }

  function crashed(error: unknown): Result {
    return { ...nothing, error: `${engine} stopped without an answer: ${String(error)}` };
  }

  function execute(
    member: Member,
    job: Job,
    timeoutMs: number,
    signal: AbortSignal | undefined,
    transfer: readonly Transferable[],
  ): Promise<Result> {
    const { worker, status } = member;
    return new Promise((resolve, reject) => {
      const listeners = { message: onMessage, messageerror: onError, error: onError, exit: onExit };
      const unwatch = watchRun(status, timeoutMs, () => lose({ ...nothing, timedOut: true }));
      function detach() {
        unwatch();
        signal?.removeEventListener("abort", onAbort);
        for (const [event, listener] of Object.entries(listeners)) worker.off(event, listener);
      }
      function onMessage(result: Result) {
        detach();
        worker.unref();
        rest(member);
        resolve(result);
      }
      function lose(result: Result) {
        detach();
        void end(member);
        resolve(result);
      }
      function onError(error: unknown) {
        const outOfMemory =
          error instanceof Error && "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY";
        lose(outOfMemory ? { ...nothing, outOfMemory } : crashed(error));
      }
      function onExit() {
        if (closed) giveUp(closedError());
        else onError(new Error("The worker ended without an answer."));
      }
      function giveUp(reason: unknown) {
        reject(reason);
        lose(nothing);
      }
      function onAbort() {
        giveUp(signal?.reason);
      }
      for (const [event, listener] of Object.entries(listeners)) worker.on(event, listener);
      onceAborted(signal, onAbort);
      worker.ref();
      try {
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- workers have no origin
        worker.postMessage(job, transfer);
      } catch (error) {
        onError(error);
      }
    });
  }

  return {
    async run(job, timeoutMs, signal, transfer = []) {
      const leave = await queue.take(signal);
      try {
        const program = await loadOnce().catch(crashed);
        signal?.throwIfAborted();
        if (!("source" in program)) return program;
        // The pool was closed while the program loaded.
        if (closed) throw closedError();
        const member = [...allIdle].findLast((one) => alive.has(one)) ?? start(program);
        allIdle.delete(member);
        const result = await execute(member, job, timeoutMs, signal, transfer);
        if (result.unreadable === undefined) return result;
        throw new OffloadError(
          "STORE_READ_FAILED",
          `The stored output cannot be read: ${result.unreadable}`,
        );
      } finally {
        leave();
      }
    },
    warm() {
      // The next run reports the fault.
      warmUp().catch(() => undefined);
    },
    async close() {
      closed = true;
      queue.close();
      // Active runs end with their workers.
      await Promise.all([...alive].map(end));
    },
  };
}

function startWorker(
  { source, given }: WorkerProgram,
  maxMemoryMb: number,
  runStatus: RunStatus,
): Worker {
  return new Worker(source, {
    eval: true,
    workerData: { ...given, runStatus },
    env: {},
    argv: [],
    execArgv: [],
    stdin: false,
    // Never read: reading would keep the process alive.
    stdout: true,
    stderr: true,
    resourceLimits: {
      maxOldGenerationSizeMb: maxMemoryMb,
      maxYoungGenerationSizeMb: Math.max(1, Math.min(32, maxMemoryMb / 4)),
    },
  });
}

interface RunQueue {
  /**
   * Resolves with a function that ends the turn.
   *
   * @throws {@link OffloadError} with code `LIMIT_EXCEEDED` if too many wait, the wait was too long, or the queue is
   * closed; the signal's reason.
   */
  take(signal: AbortSignal | undefined): Promise<() => void>;
  close(): void;
}

type QueueLimits = Pick<DrillInLimits, "maxWorkers" | "maxQueueMs" | "maxQueuedRuns">;

interface Waiting {
  readonly start: () => void;
  readonly refuse: (error: unknown) => void;
}

export function createRunQueue({ maxWorkers, maxQueueMs, maxQueuedRuns }: QueueLimits): RunQueue {
  const waiting = new Set<Waiting>();
  let running = 0;
  let closed = false;

  function end() {
    // The turn passes to the next run, so `running` stays the same.
    const [next] = waiting;
    if (next === undefined) running -= 1;
    else next.start();
  }

  function wait(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (then: () => void) => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", onAbort);
        waiting.delete(entry);
        then();
      };
      const entry: Waiting = {
        start: () => settle(resolve),
        refuse: (error) => settle(() => reject(error)),
      };
      const onAbort = (): void => entry.refuse(signal?.reason);
      const late = (): void => entry.refuse(busy(`no worker was free within ${maxQueueMs} ms`));
      const timer = setTimeout(late, maxQueueMs);
      onceAborted(signal, onAbort);
      waiting.add(entry);
    });
  }

  return {
    async take(signal) {
      signal?.throwIfAborted();
      if (closed) throw closedError();
      if (running < maxWorkers) running += 1;
      else if (waiting.size < maxQueuedRuns) await wait(signal);
      else throw busy(`${maxQueuedRuns} others wait already`);
      return end;
    },
    close() {
      closed = true;
      for (const entry of waiting) entry.refuse(closedError());
    },
  };
}

function busy(why: string): OffloadError {
  return new OffloadError(
    "LIMIT_EXCEEDED",
    `The drill-in could not start: ${why}. Try again after the running ones have ended.`,
  );
}

export function closedError(): OffloadError {
  return new OffloadError("LIMIT_EXCEEDED", "The drill-in engine is closed.");
}
