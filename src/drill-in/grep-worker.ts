import { parentPort } from "node:worker_threads";
import type { GrepReply, GrepTask, SurveyReply } from "./grep-job.js";
import { listFound } from "./grep-rows.js";
import { scan } from "./grep-scan.js";
import { surveySource } from "./source-survey.js";

function answer({ kind, job, found }: GrepTask): GrepReply | SurveyReply {
  if (kind === "survey") return surveySource(job);
  return kind === "list" ? listFound(job, found) : scan(job);
}

parentPort?.on("message", (task: GrepTask) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- workers have no origin
  parentPort?.postMessage(answer(task));
});
