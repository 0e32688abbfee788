import { CORPORA } from "./corpus.js";
import { givenAnswer } from "./given-answer.js";
import type { Sample } from "./sample.js";
import { isCorrect } from "./score.js";
import { taskOf } from "./tasks.js";

/** A recorded conversation and how right its answer is. */
export interface ScoredSample extends Sample {
  /** Whether the whole answer is right. */
  readonly correct: boolean;
}

/**
 * Scores recorded conversations by the right answers, which are computed anew from corpus, scale, seed and kind. What was
 * not answered is wrong; errors are left out, as they are no results.
 *
 * @throws `RangeError` for a conversation about another question than the one that is asked today.
 */
export function scoreSamples(samples: readonly Sample[]): ScoredSample[] {
  return samples
    .filter(({ outcome }) => outcome !== "error")
    .toSorted((one, other) => one.scale - other.scale || one.seed - other.seed)
    .map((sample) => {
      const corpus = CORPORA[sample.corpus];
      const records = corpus.records(sample.scale, sample.seed);
      const task = taskOf(corpus, records, sample.kind, sample.seed);
      if (task.prompt !== sample.prompt) {
        throw new RangeError(
          `The question ${sample.kind} about ${sample.scale} ${sample.corpus} with seed ${sample.seed} is another one ` +
            "today: the file was recorded by another version. Use that version, or a new file.",
        );
      }
      const isAnswered = sample.outcome === "answered";
      const given = givenAnswer(sample.reply);
      return { ...sample, correct: isAnswered && isCorrect(sample.kind, given, task.truth) };
    });
}
