import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import { createAgent, createMiddleware } from "langchain";
import { afterAll, describe, expect, it } from "vitest";

import {
  offloadMiddleware,
  type OffloadMiddlewareOptions,
} from "../../src/adapters/langchain/offload-middleware.js";
import { withOffload } from "../../src/adapters/langchain/with-offload.js";
import { createOffloader } from "../../src/core/pipeline/create-offloader.js";
import { toolsAfterOffload } from "../../src/presets/index.js";
import { memoryStore } from "../../src/core/store/memory.js";
import { scriptedModel, type ScriptedTurn } from "../../src/testing/scripted-model.js";
import { countRome, question, rowsTool, toolMessages } from "./large-outputs.js";

const offloader = createOffloader({ store: memoryStore() });
afterAll(async () => {
  await Promise.all([offloader.close(), later.close()]);
});

const drillIns = ["read_tool_output", "grep_tool_output", "jq_tool_output", "sql_tool_output"];
const callRows: ScriptedTurn = { toolCalls: [{ name: "list_rows", args: {} }] };
const later = createOffloader({ store: memoryStore(), plugins: [toolsAfterOffload()] });
const after: OffloadMiddlewareOptions = { offloader: later };

/** An agent, and the tools that its model was shown in each call. */
function observed(
  options: OffloadMiddlewareOptions,
  turns: readonly ScriptedTurn[] = [callRows, countRome],
  tools: Parameters<typeof createAgent>[0]["tools"] = [rowsTool()],
): { agent: ReturnType<typeof createAgent>; shown: string[][] } {
  const shown: string[][] = [];
  const inner = createMiddleware({
    name: "inner",
    wrapModelCall(request, handler) {
      shown.push(request.tools.map(({ name }) => String(name)));
      return handler(request);
    },
  });
  const agent = createAgent({
    model: scriptedModel(turns),
    tools,
    middleware: [offloadMiddleware(options), inner],
    checkpointer: new MemorySaver(),
  });
  return { agent, shown };
}

const thread = (id: string): object => ({ configurable: { thread_id: id } });

describe("the tools that a model is shown", () => {
  it("are the same in every call by default", async () => {
    const { agent, shown } = observed({ offloader });
    await agent.invoke(question, thread("always"));
    expect(shown).toEqual(Array.from({ length: 3 }, () => ["list_rows", ...drillIns]));
  });

  it("are joined by the drill-in tools after the first offload, which then run", async () => {
    const { agent, shown } = observed(after);
    const { messages } = await agent.invoke(question, thread("after"));
    expect(shown).toEqual([["list_rows"], ["list_rows", ...drillIns], ["list_rows", ...drillIns]]);
    expect(toolMessages(messages)[1]?.text).toMatch(/^400\n/);
  });

  it("stay for the thread's later runs, and not for another thread", async () => {
    const { agent, shown } = observed(after, [callRows]);
    await agent.invoke(question, thread("one"));
    await agent.invoke(question, thread("one"));
    expect(shown.at(2)).toContain("jq_tool_output");
    await agent.invoke(question, thread("other"));
    expect(shown.at(4)).toEqual(["list_rows"]);
  });

  it("have the drill-in tools when a wrapped tool has stored an output", async () => {
    const wrapped = withOffload(rowsTool(), { offloader: later, trace: "descriptor" });
    const { agent, shown } = observed(after, [callRows, countRome], [wrapped]);
    const { messages } = await agent.invoke(question, thread("wrapped"));
    expect(shown[1]).toContain("jq_tool_output");
    expect(toolMessages(messages)[1]?.text).toMatch(/^400/);
  });

  it("have the drill-in tools where a line of an aged result names them", async () => {
    const aged = {
      id: "01ARZ3NDEKTSV4RRFFQ69G5FAV",
      sessionKey: "a".repeat(64),
      placeholder: "[aged]",
    };
    const { agent, shown } = observed(after, ["done"]);
    const messages = [
      new HumanMessage("go"),
      new AIMessage({ content: "", tool_calls: [{ name: "list_rows", args: {}, id: "c1" }] }),
      new ToolMessage({
        content: "[aged]",
        name: "list_rows",
        tool_call_id: "c1",
        response_metadata: { "langchain-offload-aging": aged },
      }),
      new HumanMessage("And now?"),
    ];
    await agent.invoke({ messages }, thread("aged"));
    expect(shown[0]).toEqual(["list_rows", ...drillIns]);
  });

  it("have the drill-in tools where the rule access is asked, since an id may come with any message", async () => {
    const sharing = { store: memoryStore(), access: () => ["owner"] };
    const { agent, shown } = observed({ ...sharing, plugins: [toolsAfterOffload()] }, ["Done."]);
    await agent.invoke(question, thread("reader"));
    expect(shown).toEqual([["list_rows", ...drillIns]]);
  });

  it("run when the model calls one before it was shown", async () => {
    const early: ScriptedTurn = {
      toolCalls: [{ name: "jq_tool_output", args: { id: "none", filter: "." } }],
    };
    const { agent } = observed(after, [early]);
    const { messages } = await agent.invoke(question, thread("early"));
    expect(toolMessages(messages)[0]?.text).toContain("No stored output");
  });
});
