import { describe, expect, it } from "vitest";
import { scopeOf } from "../../../../src/store/naming.js";
import { answers, approve, codeAgent as agentWithCode, questionsOf } from "./rig.js";
const approvalFor = ["delete_issue"];

describe.each(["played", "QuickJS"] as const)("tools that need approval (%s)", (engine) => {
  const codeAgent = (
    code: string,
    { calls, ...options }: Parameters<typeof agentWithCode>[1] = {},
  ): ReturnType<typeof agentWithCode> =>
    agentWithCode(code, { engine, ...options, calls: { approvalFor, ...calls } });

  const searchAndDelete =
    'const [one] = await tools.search_issues({ query: "a" }); return await tools.delete_issue({ id: one.id })';

  it("ask with the question of LangChain's middleware, and run once after the answer (vercel/ai #18299, #19009)", async () => {
    const { ask, answer, deeds, told, store } = codeAgent(searchAndDelete);
    const asked = await ask();
    expect(deeds).toEqual({ found: ["a"], deleted: [] });
    expect(questionsOf(asked)).toEqual([
      {
        actionRequests: [
          {
            name: "delete_issue",
            args: { id: "a-1" },
            description:
              'Tool execution requires approval\n\nTool: delete_issue\nArgs: {\n  "id": "a-1"\n}',
          },
        ],
        reviewConfigs: [
          { actionName: "delete_issue", allowedDecisions: ["approve", "edit", "reject"] },
        ],
      },
    ]);
    const { messages } = await answer(approve);
    expect(answers(messages)).toHaveLength(1);
    expect(answers(messages)[0]).toContain("deleted a-1");
    expect(deeds).toEqual({ found: ["a"], deleted: ["a-1"] });
    expect(told()).toEqual([
      "call_1_0.0 search_issues returned",
      "call_1_0.1 delete_issue asked",
      "call_1_0.1 delete_issue returned",
    ]);
    expect((await store.list(scopeOf("thread"))).artifacts).toEqual([]);
  });

  it("run as a person edits them, and not when a person refuses, which is an exception in the code", async () => {
    const edited = codeAgent(searchAndDelete);
    await edited.ask();
    await edited.answer({
      type: "edit",
      editedAction: { name: "delete_issue", args: { id: "b" } },
    });
    expect(edited.deeds.deleted).toEqual(["b"]);

    const refused = codeAgent(
      "try { await tools.delete_issue({ id: 'a' }) } catch (error) { return 'caught: ' + error.message }",
    );
    await refused.ask();
    const { messages } = await refused.answer({ type: "reject", message: "not this one" });
    expect(answers(messages)[0]).toContain("caught: not this one");
    expect(refused.deeds.deleted).toEqual([]);
    expect(refused.told().at(-1)).toBe("call_1_0.0 delete_issue rejected");
  });

  it("are not passed by when the code catches everything (deepagents #4832)", async () => {
    for (const code of [
      "try { await tools.delete_issue({ id: 'a' }) } catch { } print('on'); await tools.search_issues({ query: 'after' })",
      "await tools.delete_issue({ id: 'a' }).catch(() => {}); await tools.search_issues({ query: 'after' })",
      "try { await tools.delete_issue({ id: 'a' }) } finally { await tools.search_issues({ query: 'after' }) }",
      "await Promise.allSettled([tools.delete_issue({ id: 'a' })]); await tools.search_issues({ query: 'after' })",
      "const left = tools.delete_issue({ id: 'a' }); left.catch(() => {}); return 1",
    ]) {
      const { ask, answer, deeds } = codeAgent(code, { engine: "QuickJS" });
      const asked = await ask();
      expect(questionsOf(asked)).toHaveLength(1);
      expect(deeds).toEqual({ found: [], deleted: [] });
      await answer({ type: "reject" });
      expect(deeds.deleted).toEqual([]);
    }
  });

  it("do not run where nobody can be asked, and the code is told", async () => {
    const { ask, deeds, told } = codeAgent(
      "return await tools.delete_issue({ id: 'a' }).catch((error) => error.message)",
      { checkpointer: false },
    );
    const { messages } = await ask();
    expect(answers(messages)[0]).toContain(
      "needs a person's approval, and nobody can be asked here",
    );
    expect(deeds.deleted).toEqual([]);
    expect(told()).toEqual(["call_1_0.0 delete_issue refused"]);
  });
});
