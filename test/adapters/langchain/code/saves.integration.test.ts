import { describe, expect, it } from "vitest";

import { memoryStore } from "../../../../src/store/memory.js";
import { isNote, scopeOf } from "../../../../src/store/naming.js";
import { answers, approve, codeAgent } from "./rig.js";

const calls = { approvalFor: ["delete_issue"] };
const SAVE = `const [one] = await tools.search_issues({ query: "a" });
  const id = outputs.save("found", [one, one]);`;

describe("what code saves before a person is asked", () => {
  it("has the same id when the code runs again, and is stored once", async () => {
    const store = memoryStore();
    const { ask, answer, deeds } = codeAgent(
      `${SAVE} await tools.search_issues({ query: id }); await tools.delete_issue({ id }); return outputs.read(id).length`,
      { store, calls },
    );
    await ask();
    const { messages } = await answer(approve);
    const { artifacts } = await store.list(scopeOf("thread"));
    expect(artifacts).toHaveLength(1);
    expect(deeds).toEqual({ found: ["a", artifacts[0]?.id], deleted: [artifacts[0]?.id] });
    expect(answers(messages)[0]).toContain("2");
    expect(answers(messages)[0]).toContain(`Saved "found" as ${artifacts[0]?.id} (2 records)`);
  });

  it("is stored again where it is gone, and a call that was made with its id ends the run", async () => {
    const store = memoryStore();
    const { ask, answer, deeds } = codeAgent(`${SAVE} await tools.delete_issue({ id });`, {
      store,
      calls,
    });
    await ask();
    const scope = scopeOf("thread");
    const saved = (await store.list(scope)).artifacts.find((one) => !isNote(one));
    await store.delete(saved?.id ?? "", scope);
    const { messages } = await answer(approve);
    expect(answers(messages)[0]).toContain("took another way");
    expect(deeds.deleted).toEqual([]);
  });
});
