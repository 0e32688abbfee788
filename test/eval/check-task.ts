import { expect } from "vitest";

import { isRight } from "../../eval/tasks/score-answer.js";
import type { PracticeTask } from "../../eval/tasks/task.js";

/** A task has data, an answer that its question does not tell, and a score that knows the answer. */
export function checkTask({ outputs, answer, form, question }: PracticeTask): void {
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
