import { AIMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { createReactAgent, ToolNode } from "@langchain/langgraph/prebuilt";
import { afterAll, describe, expect, it } from "vitest";

import { createDrillInTools } from "../../../src/adapters/langchain/drill-in-tools.js";
import { offloadToolNode } from "../../../src/adapters/langchain/offload-tool-node.js";
import { createOffloader } from "../../../src/core/pipeline/create-offloader.js";
import { memoryStore } from "../../../src/core/store/memory.js";
import { scriptedModel } from "../../../src/testing/scripted-model.js";
import {
  artifactsOf,
  countRome,
  handWrittenGraph,
  question,
  rows,
  rowsTool,
  toolMessages,
} from "../large-outputs.js";

const store = memoryStore();
const offloader = createOffloader({ store });
afterAll(async () => {
  await offloader.close();
});

const callRows = { toolCalls: [{ name: "list_rows", args: {} }] };
const thread = (id: string) => ({ configurable: { thread_id: id } });

describe("a hand-written graph", () => {
  it("offloads an output and drills into it", async () => {
    const node = offloadToolNode([rowsTool()], { offloader });
    const model = scriptedModel([callRows, countRome]);
    const graph = handWrittenGraph(model, node.tools, node).compile();
    const { messages } = await graph.invoke(question, thread("t-one"));
    const [descriptor, answer] = toolMessages(messages);
    expect(model.boundTools).toEqual([
      "list_rows",
      "read_tool_output",
      "grep_tool_output",
      "jq_tool_output",
      "sql_tool_output",
    ]);
    expect(JSON.parse(descriptor?.text ?? "")).toMatchObject({ offloaded: true });
    expect(descriptor).toMatchObject({ name: "list_rows", tool_call_id: "call_1_0" });
    expect(descriptor?.artifact).toMatchObject({ recordCount: 800, args: {} });
    expect(answer?.text).toMatch(/^400\n/);
  });

  it("without a thread id reaches what its messages carry, and nothing of another run", async () => {
    const node = offloadToolNode([rowsTool()], { offloader });
    const compiled = handWrittenGraph(scriptedModel([callRows, countRome]), [], node).compile();
    const first = await compiled.invoke(question);
    expect(toolMessages(first.messages)[1]?.text).toMatch(/^400\n/);
    const foreign = artifactsOf(first.messages)[0]?.id ?? "";
    const spy = scriptedModel([
      { toolCalls: [{ name: "read_tool_output", args: { id: foreign } }] },
    ]);
    const second = await handWrittenGraph(spy, [], node).compile().invoke(question);
    const [answer] = toolMessages(second.messages);
    expect(answer?.status).toBe("error");
    expect(answer?.text).toContain("configurable.thread_id");
  });

  it("treats errors as a ToolNode does", async () => {
    const failing = tool(
      () => {
        throw new Error("no such table");
      },
      { name: "list_rows", description: "Fails." },
    );
    const answers = await Promise.all(
      [new ToolNode([failing]), offloadToolNode([failing], { offloader })].map(async (node) => {
        const calls = { toolCalls: [...callRows.toolCalls, { name: "unknown", args: {} }] };
        const graph = handWrittenGraph(scriptedModel([calls]), [], node).compile();
        return toolMessages((await graph.invoke(question)).messages).map((message) => [
          message.status,
          message.text,
        ]);
      }),
    );
    expect(answers[1]).toEqual(answers[0]);
    const strict = offloadToolNode([failing], { offloader, node: { handleToolErrors: false } });
    const graph = handWrittenGraph(scriptedModel([callRows]), [], strict).compile();
    await expect(graph.invoke(question)).rejects.toThrow("no such table");
  });

  it("passes tools with returnDirect on", async () => {
    const direct = Object.assign(rowsTool(), { returnDirect: true });
    const node = offloadToolNode([direct], { offloader });
    const output = (await node.invoke({
      messages: [
        new AIMessage({ content: "", tool_calls: [{ name: "list_rows", args: {}, id: "c" }] }),
      ],
    })) as { messages: { content: string }[] };
    expect(output.messages[0]?.content).toBe(JSON.stringify(rows));
  });
});

describe("a tool node", () => {
  it("works in createReactAgent, which binds the drill-in tools from it", async () => {
    const model = scriptedModel([callRows, countRome]);
    const node = offloadToolNode([rowsTool()], { offloader });
    const agent = createReactAgent({ llm: model, tools: node });
    const { messages } = await agent.invoke(question, thread("t-react"));
    expect(model.boundTools).toContain("jq_tool_output");
    expect(toolMessages(messages)[1]?.text).toMatch(/^400\n/);
  });

  it("leaves the drill-in tools to others with runTools: false", async () => {
    const node = offloadToolNode([rowsTool()], { offloader, runTools: false });
    expect(node.tools.map(({ name }) => name)).toEqual(["list_rows"]);
    expect(node.drillInTools.map(({ name }) => name)).toContain("jq_tool_output");
  });

  it("has no tool twice when the drill-in tools were given with the others", () => {
    const node = offloadToolNode([rowsTool(), ...createDrillInTools(offloader)], { offloader });
    const names = node.tools.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  it("tells the nearest name of an option that is unknown, its own among them", () => {
    expect(() => offloadToolNode([], { nodes: {} } as never)).toThrow(
      'These options of offloadToolNode cannot be used:\n✖ There is no option "nodes"; did you mean "node"?',
    );
    expect(() => offloadToolNode([], { offloader, exclud: [] } as never)).toThrow(
      'did you mean "exclude"?',
    );
  });

  it("takes an offloader or its options, not both", () => {
    expect(() => offloadToolNode([], { offloader, store } as never)).toThrow(
      "With `offloader`, these options have no effect here: store.",
    );
    expect(() => offloadToolNode([], offloader as never)).toThrow(
      "offloadToolNode takes options: pass { offloader } instead of the offloader itself.",
    );
    expect(offloadToolNode([], { store }).offloader.store).toBe(store);
    expect(() => offloadToolNode([], { threshold: { tokens: -1 } })).toThrow("tokens");
  });
});
