import { parentPort } from "node:worker_threads";
import type { PartialReply } from "../worker-pool.js";
import type { GrepJob, GrepReply } from "./job.js";
import { scan } from "./scan.js";

function post(message: GrepReply | PartialReply<GrepReply>): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- workers have no origin
  parentPort?.postMessage(message);
}

parentPort?.on("message", (job: GrepJob) => {
  post(scan(job, (result) => post({ partial: { ok: true, result } })));
});
