import { beforeAll, describe, expect, it } from "vitest";

import { PRACTICE } from "../../eval/tasks/practice.js";
import { TASK_KINDS } from "../../eval/tasks/task.js";
import { fetchUnseen, UNSEEN_TASKS } from "../../eval/tasks/unseen/unseen-tasks.js";
import { createTokenCounter } from "../../eval/tokens.js";
import { checkTask } from "./check-task.js";

/** Shorter outputs are no question of how large ones are read. */
const MIN_TOKENS = 6_400;
/** Enough of an output to say that it is longer. */
const MAX_CHARACTERS = 100_000;

describe("the unseen tasks", () => {
  beforeAll(() => fetchUnseen(), 600_000);

  it("are 15 with names of their own, of kinds that there are", () => {
    const ids = UNSEEN_TASKS.map(({ id }) => id);
    expect(ids).toHaveLength(15);
    expect(new Set([...ids, ...PRACTICE.map(({ id }) => id)]).size).toBe(15 + PRACTICE.length);
    for (const { kind, form } of UNSEEN_TASKS) {
      expect(TASK_KINDS).toContain(kind);
      expect(["number", "text", "list", "set"]).toContain(form);
    }
  });

  it.each(UNSEEN_TASKS)("have large data, an answer and its score for $id", async (task) => {
    const { count } = await createTokenCounter();
    for (const output of task.outputs) {
      expect(count(output.load().slice(0, MAX_CHARACTERS))).toBeGreaterThan(MIN_TOKENS);
      for (const need of output.needs)
        for (const part of need.split(".")) expect(output.load()).toContain(part);
    }
    checkTask(task);
    for (const one of [task.answer()].flat())
      if (typeof one === "string") expect(task.question).not.toContain(one);
  });
});
