import { parentPort, workerData } from "node:worker_threads";

import { beginRun } from "../../../core/engines/run-status.js";
import type { PartialReply } from "../../../core/engines/worker-pool.js";
import type { CodeJob, CodeReply, CodeWorkerData } from "../request.js";
import { Guest } from "./guest/guest.js";
import { createHostFunction } from "./host-function.js";
import { openHostPort } from "./host-port.js";
import { runCode } from "./run-code.js";

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the engine starts its workers with
const data = workerData as CodeWorkerData;
/** The guest of the next run, made while nobody waits for it. */
let prepared = new Guest(data, []);

parentPort?.on("message", (job: CodeJob) => {
  const hasTools = job.toolNames.length > 0;
  answer(run(job, hasTools ? new Guest(data, job.toolNames) : prepared));
  if (!hasTools) prepared = new Guest(data, []);
});

function run(job: CodeJob, guest: Guest): CodeReply {
  const own = beginRun(job.softTimeoutMs);
  const isOver = (): boolean => own.isOver();
  const port = openHostPort(job, own);
  const host = createHostFunction(job, {
    guest,
    port,
    guestMemoryBytes: data.guestMemoryBytes,
    tell: (partial) => answer({ partial }),
  });
  guest.calls = { host: host.call, isStopped: isOver };
  try {
    const outcome = runCode(job.code, { guest, host, port, isOver });
    return { ...host.done(), ...outcome };
  } finally {
    guest.calls = undefined;
    host.close();
    job.port.close();
  }
}

function answer(reply: CodeReply | PartialReply<CodeReply>): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- workers have no origin
  parentPort?.postMessage(reply);
}
