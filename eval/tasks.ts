import type { Corpus } from "./corpus.js";
import { inWords, type Question, type QuestionKind } from "./question.js";
import { randomOf } from "./random.js";
import { type JsonRecord, textAt } from "./record.js";
import { answerOf } from "./truth.js";

/** One question about one set of records, and its right answer. */
export interface Task {
  readonly kind: QuestionKind;
  readonly question: Question;
  /** What the model is asked. */
  readonly prompt: string;
  readonly truth: unknown;
}

const LOOKUP_IDS = 12;
const TOP_COUNT = 5;

/**
 * The question of a kind about these records. Values asked for are taken from a record that the seed picks, so that
 * no count is 0; of the twelve ids of a lookup the seed decides how many are there, from 1 to 11.
 */
export function taskOf(
  corpus: Corpus,
  records: readonly JsonRecord[],
  kind: QuestionKind,
  seed: number,
): Task {
  const question = questionOf(corpus, records, kind, seed);
  const prompt = `Call ${corpus.tool} to get the records, then answer about all of them.\n\n${inWords(question)}`;
  return { kind, question, prompt, truth: answerOf(question, records) };
}

function questionOf(
  { paths, strangeId, filter }: Corpus,
  records: readonly JsonRecord[],
  kind: QuestionKind,
  seed: number,
): Question {
  const random = randomOf(seed * 7919 + records.length);
  const record = random.pick(records);
  switch (kind) {
    case "lookup": {
      const present = 1 + random.below(LOOKUP_IDS - 1);
      const ids = new Set<string>();
      while (ids.size < Math.min(present, records.length)) ids.add(random.pick(records).id);
      while (ids.size < LOOKUP_IDS) ids.add(strangeId(random));
      return { kind, ids: [...ids].toSorted() };
    }
    case "count":
      return { kind, where: [{ path: paths.count, is: textAt(record, paths.count) }] };
    case "filter":
      return { kind, where: filter(record) };
    case "search":
      return { kind, path: paths.search, contains: textAt(record, paths.search) };
    case "group":
      return { kind, path: paths.group };
    case "top":
      return { kind, path: paths.top, count: TOP_COUNT };
    case "synthesis":
      return { kind, path: paths.group, mean: paths.mean, newest: paths.newest };
  }
}
