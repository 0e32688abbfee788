import { describe, expect, it } from "vitest";

import type { ArtifactStore } from "../../../../src/store/artifact-store.js";
import { fileStore } from "../../../../src/store/file/index.js";
import { memoryStore } from "../../../../src/store/memory.js";
import { temporaryDirectories } from "../../../store/temporary-directory.js";
import { answers, approve, codeAgent as agentWithCode, questionsOf } from "./rig.js";

const MINUTE_MS = 60_000;
const makeDirectory = temporaryDirectories();

/** Makes a store that goes by a clock. */
type MakeStore = (now: () => number) => ArtifactStore;

const withoutRefresh: MakeStore = (now) => {
  const { refresh: _, ...store } = memoryStore({ now });
  return store;
};

/** An agent whose questions wait for an hour, in a time of its own, in which what has expired may be swept. */
function codeAgent(code: string, makeStore: MakeStore, sweeps: boolean) {
  let nowMs = 1_900_000_000_000;
  const now = (): number => nowMs;
  const store = makeStore(now);
  const rig = agentWithCode(code, {
    engine: "played",
    store,
    offload: { now },
    calls: { approvalFor: ["delete_issue"], approvalTtlMs: 60 * MINUTE_MS },
  });
  const pass = async (minutes: number): Promise<void> => {
    nowMs += minutes * MINUTE_MS;
    if (sweeps) await store.sweep(nowMs);
  };
  return { ...rig, pass };
}

describe.each([
  ["before a sweep", false],
  ["after a sweep", true],
])("a person who takes their time (%s)", (_, sweeps) => {
  it("over each of many questions is asked each once, and each call is made once", async () => {
    const directory = await makeDirectory();
    for (const store of [
      (now) => memoryStore({ now }),
      (now) => fileStore({ directory, now }),
    ] satisfies MakeStore[]) {
      const { ask, answer, pass, deeds, told } = codeAgent(
        "await tools.search_issues({ query: 'q' }); for (const id of ['a', 'b', 'c', 'd']) await tools.delete_issue({ id }); return 'all'",
        store,
        sweeps,
      );
      let asked = await ask();
      for (const deleted of [[], ["a"], ["a", "b"], ["a", "b", "c"]]) {
        expect(questionsOf(asked)).toHaveLength(1);
        expect(deeds).toEqual({ found: ["q"], deleted });
        await pass(50);
        asked = await answer(approve);
      }
      expect(answers(asked.messages)[0]).toContain("all");
      expect(deeds.deleted).toEqual(["a", "b", "c", "d"]);
      expect(told().filter((line) => line.endsWith("asked"))).toHaveLength(4);
    }
  });

  it("and answers too late is asked again, and the run goes on as if it had just begun", async () => {
    for (const store of [(now) => memoryStore({ now }), withoutRefresh] satisfies MakeStore[]) {
      const { ask, answer, pass, deeds } = codeAgent(
        "return await tools.delete_issue({ id: 'a' })",
        store,
        sweeps,
      );
      await ask();
      await pass(61);
      expect(questionsOf(await answer(approve))).toHaveLength(1);
      expect(deeds.deleted).toEqual([]);
      await pass(59);
      expect(answers((await answer(approve)).messages)[0]).toContain("deleted a");
      expect(deeds.deleted).toEqual(["a"]);
    }
  });

  it("loses all of a run at once where the store cannot move an expiry", async () => {
    const { ask, answer, pass, deeds } = codeAgent(
      "for (const id of ['a', 'b']) await tools.delete_issue({ id })",
      withoutRefresh,
      sweeps,
    );
    await ask();
    await pass(50);
    expect(questionsOf(await answer(approve))).toMatchObject([
      { actionRequests: [{ args: { id: "b" } }] },
    ]);
    await pass(15);
    expect(questionsOf(await answer(approve))).toMatchObject([
      { actionRequests: [{ args: { id: "a" } }] },
    ]);
    await answer(approve);
    await answer(approve);
    expect(deeds.deleted).toEqual(["a", "a", "b"]);
  });
});
