import type { Question } from "../question.js";
import { answerOf } from "../truth.js";
import { fieldPathsIn, locate } from "./field-paths.js";
import { atPaths, namesIn } from "./read-question.js";
import { recordsIn } from "./records-in.js";

/** The answer for the records that can be read in a text, be they all or not; `null` when there are none. */
export function answerSeenIn(question: Question, text: string): unknown {
  const records = recordsIn(text);
  const [first] = records;
  if (first === undefined) return null;
  const names = namesIn(question);
  const paths = locate(names, fieldPathsIn(JSON.stringify(first)));
  return paths.size < new Set(names).size ? null : answerOf(atPaths(question, paths), records);
}
