import { parentPort, workerData } from "node:worker_threads";

import type { JqJob, JqWorkerData } from "./job.js";
import { createJqRunner } from "./run.js";

const { jqModule }: JqWorkerData = workerData;
const run = createJqRunner(jqModule);

async function answer(job: JqJob): Promise<void> {
  const reply = await run(job);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- workers have no origin
  parentPort?.postMessage(reply);
}

parentPort?.on("message", (job: JqJob) => {
  void answer(job);
});
