import { parentPort, workerData } from "node:worker_threads";

import type { PartialReply } from "../../../core/engines/worker-pool.js";
import type { CodeJob, CodeReply, CodeWorkerData } from "../job.js";
import { createRunner } from "./run.js";

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the engine starts its workers with
const runner = createRunner(workerData as CodeWorkerData);

runner.prepare();
parentPort?.on("message", (job: CodeJob) => {
  answer(runner.run(job, (partial) => answer({ partial })));
  runner.prepare();
});

function answer(reply: CodeReply | PartialReply<CodeReply>): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- workers have no origin
  parentPort?.postMessage(reply);
}
