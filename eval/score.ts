import { isRecord } from "../src/util/is-record.js";
import type { QuestionKind } from "./question.js";
import { isRight } from "./tasks/score-answer.js";
import type { Answer, AnswerForm } from "./tasks/task.js";

const FORMS: Readonly<Partial<Record<QuestionKind, AnswerForm>>> = {
  count: "number",
  filter: "number",
  lookup: "set",
  search: "set",
  top: "list",
};

/** Whether the whole answer is right. Of an object each member must be. */
export function isCorrect(kind: QuestionKind, given: unknown, truth: unknown): boolean {
  const form = FORMS[kind];
  if (form !== undefined) return isRight(form, given, truth as Answer);
  if (!isRecord(given) || !isRecord(truth)) return false;
  const keys = Object.keys(truth);
  return (
    Object.keys(given).length === keys.length &&
    keys.every((key) => {
      const value = truth[key] as Answer;
      return isRight(typeof value === "number" ? "number" : "text", given[key], value);
    })
  );
}
