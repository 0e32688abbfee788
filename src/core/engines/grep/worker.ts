import { parentPort } from "node:worker_threads";
import type { GrepJob } from "./job.js";
import { scan } from "./scan.js";

parentPort?.on("message", (job: GrepJob) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- workers have no origin
  parentPort?.postMessage(scan(job));
});
