import type { BaseChatModel } from "@langchain/core/language_models/chat_models";

import { ARMS } from "../../eval/arms.js";
import { planOf, type Selection } from "../../eval/plan.js";
import { QUESTION_KINDS } from "../../eval/question.js";
import { scriptedReader } from "../../eval/reader/scripted-reader.js";
import { runJobs } from "../../eval/run.js";
import type { Sample } from "../../eval/sample.js";
import { type ScoredSample, scoreSamples } from "../../eval/scored.js";

/** Holds the conversations of a selection in memory; unless stated, all questions about 50 records of both corpora. */
async function heldSamples(
  { windowTokens = 128_000, ...given }: Partial<Selection>,
  model: BaseChatModel = scriptedReader(windowTokens),
): Promise<Sample[]> {
  const jobs = planOf({
    model: "scripted",
    arms: ARMS.map(({ name }) => name),
    corpora: ["memories", "orders"],
    scales: [50],
    kinds: QUESTION_KINDS,
    seeds: [42],
    windowTokens,
    ...given,
  });
  const samples: Sample[] = [];
  await runJobs(jobs, {
    model,
    parallel: 2,
    retryDelayMs: 1,
    onSample: (sample) => samples.push(sample) > 0,
  });
  return samples;
}

/** The same, scored. */
export async function scoredSamples(given: Partial<Selection>): Promise<ScoredSample[]> {
  return scoreSamples(await heldSamples(given));
}
