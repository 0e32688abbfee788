import { parentPort } from "node:worker_threads";
import type { GrepJob } from "./grep-job.js";
import { scan } from "./grep-scan.js";

parentPort?.on("message", (job: GrepJob) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- workers have no origin
  parentPort?.postMessage(scan(job));
});
