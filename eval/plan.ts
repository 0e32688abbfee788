import { ARMS, type Arm } from "./arms.js";
import { type Corpus, CORPORA, type CorpusName } from "./corpus.js";
import type { QuestionKind } from "./question.js";
import { keyOf, type SampleKey } from "./sample.js";

/** What is to be run. */
export interface Selection {
  readonly model: string;
  readonly arms: readonly string[];
  readonly corpora: readonly CorpusName[];
  readonly scales: readonly number[];
  readonly kinds: readonly QuestionKind[];
  readonly seeds: readonly number[];
  readonly windowTokens: number;
}

/** One conversation to be held. */
export interface Job {
  readonly key: SampleKey;
  readonly arm: Arm;
  readonly corpus: Corpus;
}

/** All conversations of a selection: arm by arm, in an arm from small to large. */
export function planOf(selection: Selection): Job[] {
  const { model, corpora, kinds, seeds, windowTokens } = selection;
  const scales = selection.scales.toSorted((one, other) => one - other);
  return ARMS.filter(({ name }) => selection.arms.includes(name)).flatMap((arm) =>
    scales.flatMap((scale) =>
      corpora.flatMap((corpus) =>
        seeds.flatMap((seed) =>
          kinds.map((kind) => ({
            arm,
            corpus: CORPORA[corpus],
            key: { model, arm: arm.name, corpus, scale, seed, kind, windowTokens },
          })),
        ),
      ),
    ),
  );
}

/** The jobs that have no result yet; an error is none. */
export function pendingJobs(
  jobs: readonly Job[],
  done: readonly (SampleKey & { readonly outcome: string })[],
): Job[] {
  const finished = new Set(done.filter(({ outcome }) => outcome !== "error").map(keyOf));
  return jobs.filter(({ key }) => !finished.has(keyOf(key)));
}
