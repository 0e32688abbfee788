import { type Holding, holdTask } from "../by-hand/hold-task.js";
import type { TaskResult } from "../by-hand/results.js";
import type { Transcript } from "../by-hand/transcript.js";
import { PRACTICE } from "../tasks/practice.js";
import { type Compared, compareAnswers } from "./compare-answers.js";
import type { RecordedPlay } from "./recorded-play.js";

/** A recorded play, and the same actions today. */
export interface ReplayedPlay {
  readonly recorded: RecordedPlay;
  readonly now: TaskResult & { readonly transcript: Transcript };
  /** For each call, as the player made them. */
  readonly answers: readonly ComparedAnswer[];
  /** Descriptors that are not what they were. */
  readonly descriptors: number;
  /** What must not be, in words. */
  readonly faults: readonly string[];
}

/** The answer of one call. */
export interface ComparedAnswer extends Compared {
  readonly tool: string;
  /** From 1. */
  readonly step: number;
}

/** Holds the conversation again: the player does what was recorded, whatever is answered. */
export async function replayPlay(recorded: RecordedPlay, holding: Holding): Promise<ReplayedPlay> {
  const task = PRACTICE.find(({ id }) => id === recorded.task);
  if (task === undefined) throw new Error(`There is no task ${recorded.task}.`);
  const actions = recorded.actions.values();
  const ask = async () => actions.next().value ?? { answer: null };
  const now = await holdTask(task, ask, holding);
  const raw = task.outputs.map(({ load }) => load());
  const calls = recorded.actions.filter((action) => "tool" in action);
  const { answers: before, descriptors } = recorded.transcript;
  const answers = before.flatMap((answer, index): ComparedAnswer[] => {
    const [tool, today] = [calls[index]?.tool ?? "", now.transcript.answers[index]];
    if (today === undefined) return [];
    return [{ tool, step: index + 1, ...compareAnswers(tool, answer, today, raw) }];
  });
  const faults = [
    ...(recorded.right && !now.right ? ["its answer is no longer right"] : []),
    ...(recorded.ending === now.ending ? [] : [`it ended: ${now.ending}`]),
    ...(answers.length < before.length
      ? [`${before.length - answers.length} calls got no answer`]
      : []),
    ...answers
      .filter(({ difference }) => difference === "data" || difference === "failed")
      .map(({ step, tool, difference }) => `call ${step}, ${tool}: ${difference}`),
  ];
  return {
    recorded,
    now,
    answers,
    descriptors: descriptors.filter(
      ({ digest }, index) => digest !== now.transcript.descriptors[index]?.digest,
    ).length,
    faults,
  };
}
