import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PRACTICE } from "../../eval/tasks/practice.js";
import { isRight } from "../../eval/tasks/score-answer.js";
import { checkTask } from "./check-task.js";
import { type Answer, type PracticeTask, TASK_KINDS } from "../../eval/tasks/task.js";

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
    ["number", ["12"], 12, true],
    ["text", '"Canada Goose."', "Canada goose", true],
    ["list", "Texas, 39", ["Texas", 39], true],
    ["list", ["1.00", "B "], [1, "b"], true],
    ["set", "b\na", ["a", "b"], true],
    ["set", '```json\n["b", "a"]\n```', ["a", "b"], true],
    ["number", "12 of 13", 12, false],
    ["number", true, 1, false],
    ["text", { text: "x" }, "[object Object]", false],
    ["list", ["b", "a"], ["a", "b"], false],
    ["set", ["a", "a"], ["a", "b"], false],
  ] as const)("as a %s, %j for %j is right: %s", (form, given, truth, right) => {
    expect(isRight(form, given, truth)).toBe(right);
  });

  it("is right as a set in any order, and never throws", () => {
    const members = fc.uniqueArray(fc.string({ minLength: 1 }).map((text) => `a${text}b`));
    fc.assert(
      fc.property(members, fc.nat(), (truth, turn) => {
        const turned = [
          ...truth.slice(turn % (truth.length + 1)),
          ...truth.slice(0, turn % (truth.length + 1)),
        ];
        expect(isRight("set", turned, truth)).toBe(true);
      }),
    );
    fc.assert(
      fc.property(
        fc.anything(),
        fc.constantFrom("number", "text", "list", "set"),
        (given, form) => {
          const truth: Answer = form === "number" ? 7 : form === "text" ? "x" : ["x", 7];
          expect(typeof isRight(form, given, truth)).toBe("boolean");
        },
      ),
    );
  });
});
