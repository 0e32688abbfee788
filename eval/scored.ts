import { CORPORA } from "./corpus.js";
import { givenAnswer } from "./given-answer.js";
import { createRecordSets } from "./record-sets.js";
import type { Sample } from "./sample.js";
import { type Score, scoreOf } from "./score.js";
import { taskOf } from "./tasks.js";

/** A recorded conversation and how right its answer is. */
export interface ScoredSample extends Sample, Score {}

/**
 * Scores recorded conversations by the right answers, which are computed anew from corpus, scale, seed and kind. What was
 * not answered is wrong; errors are left out, as they are no results.
 *
 * @throws `RangeError` for a conversation about another question than the one that is asked today.
 */
export function scoreSamples(samples: readonly Sample[]): ScoredSample[] {
  const recordsOf = createRecordSets();
  return samples
    .filter(({ outcome }) => outcome !== "error")
    .toSorted((one, other) => one.scale - other.scale || one.seed - other.seed)
    .map((sample) => {
      const corpus = CORPORA[sample.corpus];
      const records = recordsOf(corpus, sample.scale, sample.seed);
      const task = taskOf(corpus, records, sample.kind, sample.seed);
      if (task.prompt !== sample.prompt) {
        throw new RangeError(
          `The question ${sample.kind} about ${sample.scale} ${sample.corpus} with seed ${sample.seed} is another one ` +
            "today: the file was recorded by another version. Use that version, or a new file.",
        );
      }
      if (sample.outcome !== "answered") return { ...sample, correct: false, credit: 0 };
      return { ...sample, ...scoreOf(sample.kind, givenAnswer(sample.reply), task.truth) };
    });
}
