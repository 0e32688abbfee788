import { ToolMessage } from "@langchain/core/messages";

import { type Holding, holdTask } from "../by-hand/hold-task.js";
import type { TaskResult } from "../by-hand/results.js";
import type { Ask } from "../by-hand/seat-model.js";
import type { Transcript } from "../by-hand/transcript.js";
import { PRACTICE } from "../tasks/practice.js";
import { type Compared, compareAnswers } from "./compare-answers.js";
import type { RecordedPlay } from "./recorded-play.js";
import { withoutRepeated } from "./without-repeated.js";

/** A recorded play, and the same actions today. */
export interface ReplayedPlay {
  readonly recorded: RecordedPlay;
  readonly now: TaskResult & { readonly transcript: Transcript };
  /** For each call, as the player made them. */
  readonly answers: readonly ComparedAnswer[];
  /** Descriptors that are not what they were. */
  readonly descriptors: number;
  /** Calls that were made again, and are not counted. */
  readonly repeats: number;
  /** What must not be, in words. */
  readonly faults: readonly string[];
}

/** The answer of one call. */
interface ComparedAnswer extends Compared {
  readonly tool: string;
  /** From 1. */
  readonly step: number;
}

/** So often a call is made again that fails and did not: on a busy machine a table may still be loaded. */
const MAX_REPEATS = 5;

/** Holds the conversation again: the player does what was recorded, whatever is answered. */
export async function replayPlay(recorded: RecordedPlay, holding: Holding): Promise<ReplayedPlay> {
  const task = PRACTICE.find(({ id }) => id === recorded.task);
  if (task === undefined) throw new Error(`There is no task ${recorded.task}.`);
  const { answers: before, descriptors } = recorded.transcript;
  const repeated = new Set<number>();
  let step = 0;
  const ask: Ask = async ({ messages }) => {
    const made = step - repeated.size;
    const last = messages.at(-1);
    const hasFailed = step > 0 && ToolMessage.isInstance(last) && last.status === "error";
    const isOther = hasFailed && before[made - 1]?.failed === false;
    if (isOther && repeated.size < MAX_REPEATS) repeated.add(step - 1);
    step += 1;
    return recorded.actions[step - 1 - repeated.size] ?? { answer: null };
  };
  const held = await holdTask(task, ask, holding);
  const transcript = withoutRepeated(held.transcript, repeated);
  const now = { ...held, calls: held.calls - repeated.size, transcript };
  const raw = task.outputs.map(({ load }) => load());
  const calls = recorded.actions.filter((action) => "tool" in action);
  const answers = before.flatMap((answer, index): ComparedAnswer[] => {
    const [tool, today] = [calls[index]?.tool ?? "", transcript.answers[index]];
    if (today === undefined) return [];
    return [{ tool, step: index + 1, ...compareAnswers(tool, answer, today, raw) }];
  });
  const unanswered = before.length - answers.length;
  const faults = [
    ...(recorded.right && !now.right ? ["its answer is no longer right"] : []),
    ...(recorded.ending === now.ending ? [] : [`it ended: ${now.ending}`]),
    ...(unanswered > 0 ? [`${unanswered} calls got no answer`] : []),
    ...answers
      .filter(({ difference }) => difference === "data" || difference === "failed")
      .map((answer) => `call ${answer.step}, ${answer.tool}: ${answer.difference}`),
  ];
  const differing = descriptors.filter(
    ({ digest }, index) => digest !== transcript.descriptors[index]?.digest,
  );
  return {
    recorded,
    now,
    answers,
    descriptors: differing.length,
    repeats: repeated.size,
    faults,
  };
}
