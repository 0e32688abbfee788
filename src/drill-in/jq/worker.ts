import { parentPort } from "node:worker_threads";
import type { JqJob } from "./job.js";
import { createJqRunner } from "./run.js";

const run = createJqRunner();

async function answer(job: JqJob): Promise<void> {
  const reply = await run(job);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- workers have no origin
  parentPort?.postMessage(reply);
}

parentPort?.on("message", (job: JqJob) => {
  void answer(job);
});
