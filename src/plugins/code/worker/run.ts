import { beginRun } from "../../../core/engines/run-status.js";
import type { CodeJob, CodeReply, CodeWorkerData } from "../job.js";
import { createFreshGuest, type FreshGuest } from "./guest/fresh-guest.js";
import type { GuestCalls } from "./guest/imports.js";
import { createHostFunction } from "./host-function.js";
import { openHostPort } from "./host-port.js";
import { createRejections } from "./guest/rejections.js";
import { runCode } from "./run-code.js";

/** Runs one piece of code after the other, each in a guest of its own. */
export interface Runner {
  run(job: CodeJob, tell: (done: CodeReply) => void): CodeReply;
  /** Makes the next guest while nobody waits for it. */
  prepare(): void;
}

export function createRunner(data: CodeWorkerData): Runner {
  const { guestMemoryBytes } = data;
  let prepared: FreshGuest | undefined;
  let running: GuestCalls | undefined;
  // A guest is made before it is known which run it is for.
  const calls: GuestCalls = {
    host: (args) => running?.host(args) ?? 0,
    isStopped: () => running?.isStopped() ?? false,
    rejected: (promise, reason, isHandled) => running?.rejected(promise, reason, isHandled),
  };

  function take(job: CodeJob): FreshGuest {
    if (job.toolNames.length > 0 || prepared === undefined)
      return createFreshGuest(data, calls, job);
    const taken = prepared;
    prepared = undefined;
    return taken;
  }

  return {
    prepare() {
      prepared ??= createFreshGuest(data, calls, { toolNames: [] });
    },
    run(job, tell) {
      const fresh = take(job);
      const own = beginRun(job.softTimeoutMs);
      const isOver = (): boolean => own.isOver();
      const { guest } = fresh;
      const port = openHostPort(job, own);
      const host = createHostFunction(job, { guest, port, own, guestMemoryBytes, tell });
      const rejections = createRejections(guest);
      running = { host: host.call, isStopped: isOver, rejected: rejections.note };
      try {
        const means = { host, port, rejections, isOver };
        const outcome = runCode(job, fresh, means);
        return { ...host.done(), ...outcome };
      } finally {
        running = undefined;
        host.close();
        job.desk.port.close();
      }
    },
  };
}
