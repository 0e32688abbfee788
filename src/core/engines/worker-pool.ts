import type { Transferable, Worker } from "node:worker_threads";
import { outsideOfRuns } from "../../util/outside-of-runs.js";
import { nowIdle, notIdle } from "./idle-workers.js";
import { watchRun } from "./run-clock.js";
import { clearRunStatus, createRunStatus, readBytesOf, type RunStatus } from "./run-status.js";
import { closedError, createRunQueue, type QueueLimits } from "./run-queue.js";

/** How a run ended. Only `done` leaves its worker alive. */
export type PoolOutcome<Reply> =
  | { readonly status: "done"; readonly reply: Reply }
  | {
      readonly status: "timed-out";
      /** Bytes of its input that it had read. */
      readonly readBytes: number;
      /** What the worker had told last. */
      readonly partial?: Reply | undefined;
    }
  | { readonly status: "out-of-memory" }
  | { readonly status: "crashed"; readonly error: unknown };

/** What a worker tells of a run that goes on; its answer is the reply alone. */
export interface PartialReply<Reply> {
  readonly partial: Reply;
}

/** A few warm workers that answer one job at a time each. */
export interface WorkerPool<Job, Reply> {
  /**
   * Runs a job in a free worker, waiting for one when all are busy.
   *
   * @param timeoutMs - A worker's start is none of it.
   * @param transfer - What of the job is handed over and not copied, such as a port for messages during the run.
   * @throws {@link OffloadError} with code `LIMIT_EXCEEDED` when too many runs wait already, the
   * wait was too long, or the pool is closed.
   * @throws The signal's reason when it is aborted; the worker of a started run is ended then.
   */
  run(
    job: Job,
    timeoutMs: number,
    signal?: AbortSignal,
    transfer?: readonly Transferable[],
  ): Promise<PoolOutcome<Reply>>;
  /** Starts one worker when there is none, so that the first run finds it ready. */
  warm(): void;
  /** Ends every worker and refuses what waits; resolves when all are gone. */
  close(): Promise<void>;
}

/** Starts a worker that tells of its runs in such memory. */
export type WorkerStarter = (status: RunStatus) => Worker;

/**
 * Creates a pool over workers. None is started before the first run, and an idle
 * one never keeps the process alive; of all pools together sixteen stay idle at most. A run that passes its time, is aborted or breaks costs its
 * worker; the next run finds a new one.
 *
 * @param load - Gives what starts a worker; called once, before the first one. Where it fails, so does each run.
 */
export function createWorkerPool<Job, Reply>(
  load: () => Promise<WorkerStarter>,
  limits: QueueLimits,
): WorkerPool<Job, Reply> {
  const queue = createRunQueue(limits);
  const alive = new Set<Worker>();
  const idle: Worker[] = [];
  const ending = new Set<Promise<unknown>>();
  const online = new WeakSet<Worker>();
  const statuses = new WeakMap<Worker, RunStatus>();
  let loaded: Promise<WorkerStarter> | undefined;
  let closed = false;

  function loadOnce(): Promise<WorkerStarter> {
    return (loaded ??= outsideOfRuns(load));
  }

  function startWorker(start: WorkerStarter): Worker {
    const status = createRunStatus();
    const worker = outsideOfRuns(() => start(status));
    statuses.set(worker, status);
    alive.add(worker);
    worker.unref();
    worker.once("online", () => online.add(worker));
    worker.on("error", () => forget(worker));
    worker.on("exit", () => forget(worker));
    return worker;
  }

  function rest(worker: Worker): void {
    idle.push(worker);
    nowIdle(worker, () => end(worker));
  }

  function takeIdle(): Worker | undefined {
    const worker = idle.pop();
    if (worker !== undefined) notIdle(worker);
    return worker;
  }

  function forget(worker: Worker): void {
    if (!alive.delete(worker)) return;
    notIdle(worker);
    const at = idle.indexOf(worker);
    if (at >= 0) idle.splice(at, 1);
  }

  function end(worker: Worker): void {
    const gone = worker.terminate().finally(() => ending.delete(gone));
    ending.add(gone);
    forget(worker);
  }

  async function warmUp(): Promise<void> {
    const start = await loadOnce();
    if (!closed && alive.size === 0) rest(startWorker(start));
  }

  function warm(): void {
    // A system that starts no worker: the next run tells so.
    warmUp().catch(() => undefined);
  }

  function execute(
    worker: Worker,
    job: Job,
    timeoutMs: number,
    signal: AbortSignal | undefined,
    transfer: readonly Transferable[],
  ): Promise<PoolOutcome<Reply>> {
    return new Promise((resolve, reject) => {
      const status = statuses.get(worker) ?? createRunStatus();
      clearRunStatus(status);
      let unwatch: (() => void) | undefined;
      let partial: Reply | undefined;
      const onOnline = (): void => {
        unwatch = watchRun(status, timeoutMs, () =>
          lose({ status: "timed-out", readBytes: readBytesOf(status), partial }),
        );
      };
      const onAbort = (): void => {
        detach();
        end(worker);
        reject(signal?.reason);
      };
      const onMessage = (reply: Reply | PartialReply<Reply>): void => {
        if (isPartial(reply)) {
          partial = reply.partial;
          return;
        }
        detach();
        worker.unref();
        rest(worker);
        resolve({ status: "done", reply });
      };
      const onError = (error: unknown): void => {
        const outOfMemory =
          error instanceof Error && "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY";
        lose(outOfMemory ? { status: "out-of-memory" } : { status: "crashed", error });
      };
      const onExit = (): void => {
        const error = closed ? closedError() : new Error("The worker ended without an answer.");
        lose({ status: "crashed", error });
      };
      function lose(outcome: PoolOutcome<Reply>): void {
        detach();
        end(worker);
        // The next run shall not wait for the start of the worker that this one has cost.
        warm();
        resolve(outcome);
      }
      function detach(): void {
        unwatch?.();
        signal?.removeEventListener("abort", onAbort);
        worker.off("online", onOnline);
        worker.off("message", onMessage).off("messageerror", onError);
        worker.off("error", onError).off("exit", onExit);
      }
      if (online.has(worker)) onOnline();
      else worker.once("online", onOnline);
      worker.on("message", onMessage).on("messageerror", onError);
      worker.on("error", onError).on("exit", onExit);
      signal?.addEventListener("abort", onAbort, { once: true });
      worker.ref();
      try {
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- workers have no origin
        worker.postMessage(job, transfer);
      } catch (error) {
        lose({ status: "crashed", error });
      }
    });
  }

  return {
    async run(job, timeoutMs, signal, transfer = []) {
      const end = await queue.take(signal);
      try {
        const start = await loadOnce().catch((error: unknown) => ({ error }));
        signal?.throwIfAborted();
        if (typeof start !== "function") return { status: "crashed", ...start };
        // Its turn had come when the pool was closed.
        if (closed) return { status: "crashed", error: closedError() };
        return await execute(takeIdle() ?? startWorker(start), job, timeoutMs, signal, transfer);
      } finally {
        end();
      }
    },
    warm,
    async close() {
      closed = true;
      queue.close();
      for (const worker of alive) {
        const gone = worker.terminate();
        ending.add(gone.finally(() => ending.delete(gone)));
      }
      await Promise.all(ending);
    },
  };
}

function isPartial<Reply>(reply: Reply | PartialReply<Reply>): reply is PartialReply<Reply> {
  return typeof reply === "object" && reply !== null && "partial" in reply;
}
