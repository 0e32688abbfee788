import { expect, it } from "vitest";
import { givenAnswer } from "../../eval/given-answer.js";
import { PRACTICE } from "../../eval/tasks/practice.js";
import { isRight } from "../../eval/tasks/score-answer.js";
import type { PracticeTask } from "../../eval/tasks/task.js";

/** A task has data, an answer that its question does not tell, and a score that knows the answer. */
function checkTask({ outputs, answer, form, question }: PracticeTask): void {
  for (const output of outputs) {
    expect(output.load().length).toBeGreaterThan(1_000);
    expect(output.needs).not.toEqual([]);
  }
  const truth = answer();
  expect(typeof truth).toBe(
    new Map<string, string>([
      ["number", "number"],
      ["text", "string"],
    ]).get(form) ?? "object",
  );
  const members = [truth].flat();
  expect(members.length).toBeGreaterThan(0);
  for (const one of members)
    expect(typeof one === "number" ? Number.isFinite(one) : one !== "").toBe(true);
  for (const right of [truth, JSON.stringify(truth)])
    expect(isRight(form, right, truth)).toBe(true);
  expect(isRight(form, null, truth)).toBe(false);
  if (typeof truth === "string") expect(question).not.toContain(truth);
}

it.each(PRACTICE)("the practice set has data, an answer and its score for $id", checkTask);

it.each([
  ["I counted.\nAnswer: 1,234", 1234],
  ['ANSWER:\n```json\n{"north": 3}\n```', { north: 3 }],
  ["ANSWER: 3\nNo, wait.\nANSWER: 4", 4],
  // A11: what was misread.
  ["ANSWER: -.5", -0.5],
  ["ANSWER: \u22123", -3],
  ["ANSWER: 1,234,567.5 in all", 1_234_567.5],
  ['ANSWER: {"a": 1}\nI left {"b": 2} out.', { a: 1 }],
  ['The {set} of {"a": 1} and then {"b": {"c": "}"}}.', { b: { c: "}" } }],
  ['**ANSWER:** `{"a`b": 1}`', { "a`b": 1 }],
  ['ANSWER: {"note": "my answer: 5"}', { note: "my answer: 5" }],
  ["**Answer**: 5", 5],
  ['ANSWER:\n{\n"answer": 5\n}', { answer: 5 }],
])("an answer in a message is found in %j", (text, answer) => {
  expect(givenAnswer(text)).toEqual(answer);
});
