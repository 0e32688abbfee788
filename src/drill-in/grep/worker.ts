import { parentPort } from "node:worker_threads";
import type { PartialReply } from "../engine/worker-pool.js";
import type { GrepJob, GrepReply } from "./job.js";
import { scan } from "./scan.js";

parentPort?.on("message", (job: GrepJob) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- workers have no origin
  const post = (message: GrepReply | PartialReply<GrepReply>): void =>
    parentPort?.postMessage(message);
  post(scan(job, (result) => post({ partial: { ok: true, result } })));
});
