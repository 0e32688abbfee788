import { setTimeout } from "node:timers/promises";

import { Command, interrupt } from "@langchain/langgraph";
import { createMiddleware, tool, ToolMessage, toolRetryMiddleware } from "langchain";
import { describe, expect, it } from "vitest";
import * as z from "zod";

import { memoryStore } from "../../../../src/store/memory.js";
import { scopeOf } from "../../../../src/store/naming.js";
import { answers, approve, codeAgent as agentWithCode, questionsOf } from "./rig.js";

const none = z.object({});
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

  it("are asked in the words and for the decisions that the options give", async () => {
    const { ask, answer, deeds } = codeAgent("return await tools.delete_issue({ id: 'a' })", {
      calls: {
        approvalFor: { delete_issue: { allowedDecisions: ["approve"], description: "Really?" } },
      },
    });
    expect(questionsOf(await ask())).toMatchObject([
      {
        actionRequests: [{ description: "Really?" }],
        reviewConfigs: [{ allowedDecisions: ["approve"] }],
      },
    ]);
    const { messages } = await answer({ type: "reject" });
    expect(answers(messages)[0]).toContain("the decision has to be one of approve");
    expect(deeds.deleted).toEqual([]);
  });

  it.each([
    ["nothing", undefined],
    ["a word", "approve"],
    ["no decision", { decisions: [] }],
    ["two decisions", { decisions: [approve, approve] }],
    ["an unknown decision", { decisions: [{ type: "yes" }] }],
    [
      "another tool than any of the list",
      { decisions: [{ type: "edit", editedAction: { name: "broken_", args: {} } }] },
    ],
    [
      "arguments that are none",
      { decisions: [{ type: "edit", editedAction: { name: "delete_issue", args: "all" } }] },
    ],
  ])("do not run when the application answers with %s", async (_, resume) => {
    const { ask, resume: go, deeds } = codeAgent("return await tools.delete_issue({ id: 'a' })");
    await ask();
    await go(new Command({ resume: resume ?? null })).catch(() => {});
    expect(deeds.deleted).toEqual([]);
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

  it("are asked one after the other when the code calls several at once, each once", async () => {
    const { ask, answer, deeds, told } = codeAgent(
      "return await Promise.all(['a', 'b', 'c'].map((id) => tools.delete_issue({ id })))",
    );
    const ids: unknown[] = [];
    let result = await ask();
    for (let round = 0; round < 3; round += 1) {
      const [question] = questionsOf(result) as { actionRequests: { args: { id: string } }[] }[];
      ids.push(question?.actionRequests[0]?.args.id);
      expect(deeds.deleted).toHaveLength(round);
      result = await answer(approve);
    }
    expect(ids).toEqual(["a", "b", "c"]);
    expect(deeds.deleted).toEqual(["a", "b", "c"]);
    expect(answers(result.messages)[0]).toContain("deleted c");
    expect(told().filter((line) => line.endsWith("returned"))).toHaveLength(3);
  });

  it("leave lookups beside them done once, whichever were under way when a person was asked", async () => {
    const slow: number[] = [];
    const lookup = tool(
      async ({ n }) => {
        slow.push(n);
        await setTimeout(n * 3);
        return String(n);
      },
      { name: "lookup", description: "Looks up.", schema: z.object({ n: z.number() }) },
    );
    const { ask, answer, deeds } = codeAgent(
      "const all = await Promise.all([...[5, 1, 3].map((n) => tools.lookup({ n })), tools.delete_issue({ id: 'a' }), tools.lookup({ n: 2 })]); return all",
      { tools: [lookup], calls: { tools: ["lookup", "delete_issue"] } },
    );
    await ask();
    const { messages } = await answer(approve);
    expect(slow.toSorted((one, other) => one - other)).toEqual([1, 2, 3, 5]);
    expect(deeds.deleted).toEqual(["a"]);
    expect(JSON.parse(answers(messages)[0]?.split("\n")[0] ?? "")).toEqual([
      5,
      1,
      3,
      "deleted a",
      2,
    ]);
  });

  it("do not run because a middleware around the code tries again or swallows what was thrown", async () => {
    const retry = toolRetryMiddleware({ maxRetries: 2, initialDelayMs: 1, jitter: false });
    const swallow = createMiddleware({
      name: "swallow",
      wrapToolCall: async (request, handler) => {
        try {
          return await handler(request);
        } catch {
          return new ToolMessage({
            content: "all is well",
            tool_call_id: request.toolCall.id ?? "",
          });
        }
      },
    });
    for (const after of [[retry], [swallow], [swallow, retry]]) {
      const { ask, answer, deeds } = codeAgent(searchAndDelete, { after });
      const asked = await ask();
      expect(questionsOf(asked)).toHaveLength(1);
      expect(deeds).toEqual({ found: ["a"], deleted: [] });
      await answer(approve);
      expect(deeds).toEqual({ found: ["a"], deleted: ["a-1"] });
    }
    // Listed before ours they have the last word: the question is lost, and the tool does not run.
    for (const before of [[retry], [swallow]]) {
      const { ask, deeds } = codeAgent(searchAndDelete, { before });
      await ask();
      expect(deeds).toEqual({ found: ["a"], deleted: [] });
    }
  });

  it("run again when a middleware tries the tool itself again, under the one approval", async () => {
    let tries = 0;
    const flaky = tool(
      () => {
        tries += 1;
        if (tries === 1) throw new Error("once more");
        return "done";
      },
      { name: "flaky", description: "Fails once.", schema: none },
    );
    const { ask, answer } = codeAgent("return await tools.flaky({})", {
      tools: [flaky],
      calls: { tools: ["flaky"], approvalFor: ["flaky"] },
      after: [toolRetryMiddleware({ maxRetries: 2, initialDelayMs: 1, jitter: false })],
    });
    await ask();
    expect(tries).toBe(0);
    const { messages } = await answer(approve);
    expect(answers(messages)[0]).toContain("done");
    expect(tries).toBe(2);
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

  it("do not run when what the run did cannot be kept", async () => {
    const store = memoryStore();
    const full = { ...store, put: () => Promise.reject(new Error("disk full")) };
    const { ask, deeds } = codeAgent(
      "await tools.search_issues({ query: 'a' }); return await tools.delete_issue({ id: 'a' }).catch((error) => error.message)",
      { store: full },
    );
    const { messages } = await ask();
    expect(answers(messages)[0]).toContain("could not be stored");
    expect(deeds).toEqual({ found: ["a"], deleted: [] });
  });

  it("take no answer that was given to another question", async () => {
    const asking = createMiddleware({
      name: "asking",
      wrapToolCall: async (request, handler) => {
        if (request.toolCall.name === "code_tool_output" && interrupt("may code run?") !== "yes") {
          return new ToolMessage({ content: "no", tool_call_id: request.toolCall.id ?? "" });
        }
        return await handler(request);
      },
    });
    const { ask, answer, resume, deeds } = codeAgent(searchAndDelete, { before: [asking] });
    expect(questionsOf(await ask())).toEqual(["may code run?"]);
    const asked = await resume(new Command({ resume: "yes" }));
    expect(questionsOf(asked)).toMatchObject([{ actionRequests: [{ name: "delete_issue" }] }]);
    expect(deeds).toEqual({ found: ["a"], deleted: [] });
    await answer(approve);
    expect(deeds).toEqual({ found: ["a"], deleted: ["a-1"] });
  });

  it("wait for a tool that asks by itself, and lookups are done once", async () => {
    const order: unknown[] = [];
    const asks = tool(
      ({ what }) => {
        const answer: unknown = interrupt(`${what}?`);
        order.push([what, answer]);
        return String(answer);
      },
      { name: "asks", description: "Asks.", schema: z.object({ what: z.string() }) },
    );
    const { ask, answer, resume, deeds } = codeAgent(
      "await tools.search_issues({ query: 'a' }); const said = await Promise.all([tools.asks({ what: 'x' }), tools.asks({ what: 'y' })]); await tools.delete_issue({ id: said.join() }); return said",
      { tools: [asks], calls: { tools: ["asks", "search_issues", "delete_issue"] } },
    );
    expect(questionsOf(await ask())).toEqual(["x?"]);
    expect(questionsOf(await resume(new Command({ resume: "one" })))).toEqual(["y?"]);
    const asked = await resume(new Command({ resume: "two" }));
    expect(questionsOf(asked)).toMatchObject([{ actionRequests: [{ args: { id: "one,two" } }] }]);
    await answer(approve);
    expect(order).toEqual([
      ["x", "one"],
      ["y", "two"],
    ]);
    expect(deeds).toEqual({ found: ["a"], deleted: ["one,two"] });
  });

  it("let an approved tool ask once more by itself", async () => {
    const done: unknown[] = [];
    const twice = tool(() => `ok ${done.push(interrupt("and what for?"))}`, {
      name: "twice",
      description: "Asks.",
      schema: none,
    });
    const { ask, answer, resume } = codeAgent("return await tools.twice({})", {
      tools: [twice],
      calls: { tools: ["twice"], approvalFor: ["twice"] },
    });
    expect(questionsOf(await ask())).toMatchObject([{ actionRequests: [{ name: "twice" }] }]);
    expect(questionsOf(await answer(approve))).toEqual(["and what for?"]);
    const { messages } = await resume(new Command({ resume: "fun" }));
    expect(done).toEqual(["fun"]);
    expect(answers(messages)[0]).toContain("ok");
  });

  it("are not called again when the process ended while they ran", async () => {
    const store = memoryStore();
    let calls = 0;
    const stop = new AbortController();
    const hangs = tool(
      async () => {
        calls += 1;
        stop.abort(new Error("the process ends"));
        await setTimeout(20);
        return "late";
      },
      { name: "hangs", description: "Hangs.", schema: none },
    );
    const rig = codeAgent("return await tools.hangs({}).catch((error) => error.message)", {
      store,
      tools: [hangs],
      calls: { tools: ["hangs"], approvalFor: ["hangs"] },
    });
    await rig.ask();
    await expect(
      rig.resume(new Command({ resume: { decisions: [approve] } }), stop.signal),
    ).rejects.toThrow(/process ends|abort/i);
    const again = await rig.resume(null);
    expect(calls).toBe(1);
    expect(answers(again.messages)[0]).toContain("whether it was done is not known");
  });

  it("show in the code the same chance and the same clock when it goes on", async () => {
    const { ask, answer, deeds } = codeAgent(
      "const id = String(Math.random()) + Date.now(); await tools.delete_issue({ id }); return await tools.search_issues({ query: id })",
      { engine: "QuickJS" },
    );
    const [question] = questionsOf(await ask()) as { actionRequests: { args: { id: string } }[] }[];
    await answer(approve);
    const id = question?.actionRequests[0]?.args.id;
    expect(deeds).toEqual({ found: [id], deleted: [id] });
  });

  it("end the run before anything is called when the code goes another way than before", async () => {
    let runs = 0;
    const counted = globalThis as { nextRun?: () => number };
    counted.nextRun = () => (runs += 1);
    for (const code of [
      "const n = nextRun(); await tools.search_issues({ query: 'n' + n }); await tools.delete_issue({ id: 'a' })",
      "const n = nextRun(); await tools.search_issues({ query: 'a' }); await tools.delete_issue({ id: 'n' + n })",
      "const n = nextRun(); if (n % 2 === 0) await tools.delete_issue({ id: 'b' }); await tools.search_issues({ query: 'a' }); await tools.delete_issue({ id: 'a' })",
      "const n = nextRun(); if (n % 2 === 1) await tools.search_issues({ query: 'a' }); await tools.delete_issue({ id: 'a' })",
    ]) {
      runs = 0;
      const { ask, answer, deeds } = codeAgent(code, { engine: "played" });
      await ask();
      const before = deeds.found.length;
      const { messages } = await answer(approve);
      expect(answers(messages)[0]).toContain("took another way");
      expect(deeds.deleted).toEqual([]);
      expect(deeds.found).toHaveLength(before);
    }
  });

  it("are told of as any other when they are given up with the run", async () => {
    const { ask, answer, deeds, store, told } = codeAgent(
      "await tools.delete_issue({ id: 'a' }); for (let n = 0; n < 4; n += 1) await tools.search_issues({ query: 'x' }).catch(() => {}); await new Promise(() => {})",
      { killAfterMs: 300, calls: { maxToolCalls: 3 } },
    );
    await ask();
    await answer(approve);
    expect(deeds.deleted).toEqual(["a"]);
    expect(told()).toEqual([
      "call_1_0.0 delete_issue asked",
      "call_1_0.0 delete_issue returned",
      "call_1_0.1 search_issues returned",
      "call_1_0.2 search_issues returned",
      "call_1_0.3 search_issues refused",
    ]);
    expect((await store.list(scopeOf("thread"))).artifacts).toEqual([]);
  });
});
