import { parentPort, workerData } from "node:worker_threads";

import {
  type JqJob,
  type JqResult,
  type JqWorkerData,
  NO_RESULTS,
  type OutlineJob,
} from "./job.js";
import { outlineDocument } from "./markup/outline-document.js";
import { beginRun } from "../run-status.js";
import { createJqRunner } from "./run.js";

const { jqModule }: JqWorkerData = workerData;
const run = createJqRunner(jqModule);

function outline({ document }: OutlineJob): JqResult {
  beginRun(Infinity);
  try {
    return { ...NO_RESULTS, outline: outlineDocument(document) };
  } catch {
    return NO_RESULTS;
  }
}

async function answer(job: JqJob | OutlineJob): Promise<void> {
  const result = "document" in job ? outline(job) : await run(job);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- workers have no origin
  parentPort?.postMessage(result);
}

parentPort?.on("message", (job: JqJob | OutlineJob) => void answer(job));
