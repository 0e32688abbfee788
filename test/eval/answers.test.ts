import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CORPORA } from "../../eval/corpus.js";
import { givenAnswer } from "../../eval/given-answer.js";
import { QUESTION_KINDS } from "../../eval/question.js";
import { isCorrect } from "../../eval/score.js";
import { taskOf } from "../../eval/tasks.js";
import { PRACTICE } from "../../eval/tasks/practice.js";
import { isRight } from "../../eval/tasks/score-answer.js";
import { type Answer, type PracticeTask, TASK_KINDS } from "../../eval/tasks/task.js";

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

/** Answers beside the right one. */
function wrongAnswers({ form, answer }: PracticeTask): unknown[] {
  const truth = answer();
  if (typeof truth === "number") return [truth + 1, -truth - 1, "", null];
  if (typeof truth === "string") return [`${truth}x`, truth.slice(1), "", [truth, truth]];
  const others = [truth.slice(1), [...truth, "one more"], [], null, truth.map((one) => `${one}1`)];
  return form === "list" && truth.length > 1 ? [...others, truth.toReversed()] : others;
}

/** What stays the same when it is read backwards is no wrong answer. */
function isPalindrome(truth: Answer): boolean {
  return Array.isArray(truth) && JSON.stringify(truth) === JSON.stringify(truth.toReversed());
}

describe("the practice set", () => {
  it("has at least 40 tasks with names of their own, three or more of each kind", () => {
    expect(PRACTICE.length).toBeGreaterThanOrEqual(40);
    expect(new Set(PRACTICE.map(({ id }) => id)).size).toBe(PRACTICE.length);
    for (const kind of TASK_KINDS)
      expect(PRACTICE.filter((task) => task.kind === kind).length).toBeGreaterThanOrEqual(3);
  });

  it.each(PRACTICE)("has data, an answer and its score for $id", (task) => {
    checkTask(task);
    const truth = task.answer();
    if (isPalindrome(truth)) expect(task.form).not.toBe("list");
    for (const wrong of wrongAnswers(task)) expect(isRight(task.form, wrong, truth)).toBe(false);
  });
});

describe("a given answer", () => {
  it.each([
    ["number", "1,234 people", 1234, true],
    ["text", '"Canada Goose."', "Canada goose", true],
    ["list", "Texas, 39", ["Texas", 39], true],
    ["list", ["1.00", "B "], [1, "b"], true],
    ["set", "b\na", ["a", "b"], true],
    ["set", '```json\n["b", "a"]\n```', ["a", "b"], true],
    ["number", "12 of 13", 12, false],
    ["list", ["b", "a"], ["a", "b"], false],
    ["set", ["a", "a"], ["a", "b"], false],
  ] as const)("as a %s, %j for %j is right: %s", (form, given, truth, right) => {
    expect(isRight(form, given, truth)).toBe(right);
  });
});

describe("an answer in a message", () => {
  it.each([
    ["I counted.\nAnswer: 1,234", 1234],
    ['**ANSWER:** `["a", "b"]`', ["a", "b"]],
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
    ['ANSWER:\n{\n"answer": 5\n}', { answer: 5 }],
    ["**Answer**: 5", 5],
  ])("is found in %j", (text, answer) => {
    expect(givenAnswer(text)).toEqual(answer);
  });
});

it("a score takes the right answer of every kind, and nothing else", () => {
  for (const corpus of Object.values(CORPORA)) {
    const records = corpus.records(60, 5);
    for (const kind of QUESTION_KINDS) {
      const { truth } = taskOf(corpus, records, kind, 5);
      expect(isCorrect(kind, truth, truth)).toBe(true);
      const more = typeof truth === "object" ? { ...truth, more: 1 } : truth;
      expect(isCorrect(kind, more, truth)).toBe(typeof truth !== "object");
      for (const wrong of [undefined, null, "", 0, [], {}, ["x"], { x: 1 }, Number.NaN])
        expect(isCorrect(kind, wrong, truth)).toBe(false);
    }
  }
});
