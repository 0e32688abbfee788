import { ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { Command } from "@langchain/langgraph";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { afterAll, describe, expect, it } from "vitest";
import { offloadToolNode } from "../../../src/adapters/langchain/offload-tool-node.js";
import { createOffloader } from "../../../src/offload/create-offloader.js";
import { memoryStore } from "../../../src/store/memory.js";
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

  it("offloads the messages of a command and passes its other updates on", async () => {
    const commanding = tool(
      (_args, config) =>
        new Command({
          update: {
            messages: [
              new ToolMessage({
                content: JSON.stringify(rows),
                tool_call_id: config.toolCall?.id ?? "",
                name: "list_rows",
              }),
            ],
          },
        }),
      { name: "list_rows", description: "Updates the state." },
    );
    const node = offloadToolNode([commanding], { offloader });
    const graph = handWrittenGraph(scriptedModel([callRows, countRome]), [], node).compile();
    const { messages } = await graph.invoke(question, thread("t-command"));
    expect(artifactsOf(messages)).toHaveLength(1);
    expect(toolMessages(messages)[1]?.text).toMatch(/^400\n/);
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
});
