import { afterAll, describe, expect, it } from "vitest";

import { JOIN_TASKS } from "../../eval/tasks/several/join-tasks.js";
import { SEQUENCE_TASKS } from "../../eval/tasks/several/sequence-tasks.js";
import type { PracticeTask } from "../../eval/tasks/task.js";
import { codeEngine } from "../../src/drill-in/code/engine.js";
import { createOffloader } from "../../src/offload/create-offloader.js";
import { memoryStore } from "../../src/store/memory.js";
import { scopeOf } from "../../src/store/naming.js";
import { CODE } from "./code-ways.js";
import { JQ_WAYS, SQL_WAYS, type Way } from "./ways.js";

const offloader = createOffloader({ store: memoryStore(), drillIn: { code: codeEngine() } });
afterAll(() => offloader.close());

const tasks = [...JOIN_TASKS, ...SEQUENCE_TASKS].filter(({ id }) => CODE[id] !== undefined);

async function idsOf({ id, outputs }: PracticeTask): Promise<readonly string[]> {
  const put = async ({ load, tool }: PracticeTask["outputs"][number]): Promise<string> =>
    (await offloader.put(load(), { sessionId: id, toolName: tool })).storedArtifact.id;
  return await Promise.all(outputs.map(put));
}

/** A task's answer by code, in one call. */
async function byCode(task: PracticeTask): Promise<unknown> {
  const ids = await idsOf(task);
  const names = `const all = ${JSON.stringify(ids)}, [a, b, c] = all;`;
  const { drillIn } = offloader;
  const { text, failed } = await drillIn.code(
    { code: `${names}\n${CODE[task.id]}` },
    scopeOf(task.id),
  );
  return failed ? text : JSON.parse(text.split("\n")[0] ?? "");
}

/** A task's answer by the calls of a way. */
async function byWay(task: PracticeTask, tool: "sql" | "jq", way: Way): Promise<unknown> {
  const ids = await idsOf(task);
  const answers: unknown[] = [];
  for (const { id, with: others = {}, asks } of way.calls) {
    const named = Object.entries(others).map(([name, at]) => [name, ids[at]]);
    const args = { id: ids[id], with: Object.fromEntries(named) };
    const asked = tool === "sql" ? { ...args, query: asks } : { ...args, filter: asks };
    const { text, failed } = await offloader.drillIn[tool](asked, scopeOf(task.id));
    if (failed) throw new Error(text);
    answers.push(tool === "sql" ? rowIn(text) : JSON.parse(text.split("\n")[0] ?? ""));
  }
  return way.join === undefined ? answers[0] : way.join(answers);
}

/** The one row of a table, or its one cell. */
function rowIn(text: string): unknown {
  const [, row = ""] = text.split("\n");
  const cells = row.split(" | ").map((cell) => (Number.isNaN(Number(cell)) ? cell : Number(cell)));
  return cells.length === 1 ? cells[0] : cells;
}

describe("one call of code", () => {
  it("has a program for every task here, and both other tools a way", () => {
    const ids = tasks.map(({ id }) => id);
    for (const ways of [CODE, SQL_WAYS, JQ_WAYS])
      expect(Object.keys(ways).toSorted()).toEqual(ids.toSorted());
  });

  it.each(tasks)("answers $id", async (task) => {
    expect(await byCode(task)).toEqual(task.answer());
  });
});

describe("the calls that SQL and jq need for the same", () => {
  it.each(tasks)("come to the answer of $id", async (task) => {
    const [sql, jq] = [SQL_WAYS[task.id], JQ_WAYS[task.id]];
    if (sql === undefined || jq === undefined) throw new Error("It has no way.");
    expect(await byWay(task, "sql", sql)).toEqual(task.answer());
    expect(await byWay(task, "jq", jq)).toEqual(task.answer());
  });

  it("are one where the task has eight outputs at most, and three for seventeen", () => {
    for (const { id, outputs } of tasks) {
      const calls = Math.ceil(outputs.length / 8);
      expect(SQL_WAYS[id]?.calls).toHaveLength(calls);
      expect(JQ_WAYS[id]?.calls).toHaveLength(calls);
    }
    expect(SQL_WAYS["sequence-pauses"]?.calls).toHaveLength(3);
  });

  it.each(["sql", "jq"] as const)("cannot be fewer: %s names no ninth output", async (tool) => {
    const task = tasks.find(({ id }) => id === "sequence-pauses");
    if (task === undefined) throw new Error("The task is not there.");
    const [id, ...others] = (await idsOf(task)).slice(0, 9);
    const named = Object.fromEntries(others.map((other, n) => [`s${n}`, other]));
    const args = { id, with: named, query: "SELECT 1", filter: "." };
    const { text, failed } = await offloader.drillIn[tool](args, scopeOf(task.id));
    expect(failed).toBe(true);
    expect(text).toContain("7");
  });
});
