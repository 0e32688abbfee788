import { afterAll, describe, expect, it } from "vitest";

import { JOIN_TASKS } from "../../eval/tasks/several/join-tasks.js";
import { SEQUENCE_TASKS } from "../../eval/tasks/several/sequence-tasks.js";
import type { PracticeTask } from "../../eval/tasks/task.js";
import { codeEngine } from "../../src/drill-in/code/engine.js";
import { createOffloader } from "../../src/offload/create-offloader.js";
import { memoryStore } from "../../src/store/memory.js";
import { scopeOf } from "../../src/store/naming.js";
import { CODE } from "./code-ways.js";
import { JQ_WAYS, SQL_WAYS } from "./ways.js";

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
