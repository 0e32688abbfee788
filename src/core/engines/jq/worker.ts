import { parentPort, workerData } from "node:worker_threads";

import type { JqJob, JqResult, JqWorkerData, OutlineJob, OutlineReply } from "./job.js";
import { outlineDocument } from "./markup/outline-document.js";
import { beginRun } from "../run-status.js";
import type { EngineReply } from "../worker-pool.js";
import { createJqRunner } from "./run.js";

const { jqModule }: JqWorkerData = workerData;
const run = createJqRunner(jqModule);

function outline({ document }: OutlineJob): OutlineReply {
  beginRun(Infinity);
  try {
    return { outline: outlineDocument(document) };
  } catch {
    return { outline: undefined };
  }
}

async function answer(job: JqJob | OutlineJob): Promise<void> {
  const reply: EngineReply<JqResult> | OutlineReply =
    "document" in job ? outline(job) : await run(job);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- workers have no origin
  parentPort?.postMessage(reply);
}

parentPort?.on("message", (job: JqJob | OutlineJob) => {
  void answer(job);
});
