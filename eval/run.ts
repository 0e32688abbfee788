import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { Offloader } from "langchain-offload";

import { withArm } from "./agent.js";
import type { Job } from "./plan.js";
import { runSample } from "./run-sample.js";
import type { Sample } from "./sample.js";
import { taskOf } from "./tasks.js";
import { createTokenCounter } from "./tokens.js";

export interface RunOptions {
  readonly model: BaseChatModel;
  /** Conversations at once. @defaultValue `1` */
  readonly parallel?: number;
  /** First wait before a failed model call is tried again. @defaultValue `2_000` */
  readonly retryDelayMs?: number;
  /** Ends the run; conversations that are not done are no results. */
  readonly signal?: AbortSignal;
  /** Told of each conversation that is done; with `false` no other is begun. */
  readonly onSample: (sample: Sample) => boolean;
}

/** Holds the conversations of a plan, arm by arm. */
export async function runJobs(jobs: readonly Job[], options: RunOptions): Promise<void> {
  const { model, parallel = 1, retryDelayMs = 2_000, onSample } = options;
  const signal = options.signal ?? new AbortController().signal;
  const counter = await createTokenCounter();
  let goesOn = true;

  for (const armJobs of byArm(jobs)) {
    const [first] = armJobs;
    if (first === undefined || !goesOn || signal.aborted) return;
    const waiting = armJobs.values();
    const work = async (offloader: Offloader | undefined): Promise<void> => {
      for (const { key, arm, corpus } of waiting) {
        if (!goesOn || signal.aborted) return;
        const records = corpus.records(key.scale, key.seed);
        const task = taskOf(corpus, records, key.kind, key.seed);
        const parts = { key, arm, corpus, records, task, model, counter, offloader };
        const sample = await runSample({ ...parts, retryDelayMs, signal });
        goesOn &&= onSample(sample);
      }
    };
    try {
      await withArm(first.arm, first.key.windowTokens, async ({ offloader }) =>
        Promise.all(Array.from({ length: parallel }, () => work(offloader))),
      );
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }
}

function byArm(jobs: readonly Job[]): Job[][] {
  const names = [...new Set(jobs.map(({ arm }) => arm.name))];
  return names.map((name) => jobs.filter(({ arm }) => arm.name === name));
}
