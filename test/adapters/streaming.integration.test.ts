import { type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { createAgent, tool } from "langchain";
import { afterAll, describe, expect, it } from "vitest";
import * as z from "zod";

import { offloadMiddleware } from "../../src/adapters/langchain/offload-middleware.js";
import { offloadNode } from "../../src/adapters/langchain/offload-node.js";
import { offloadToolNode } from "../../src/adapters/langchain/offload-tool-node.js";
import { withOffload } from "../../src/adapters/langchain/with-offload.js";
import { createOffloader } from "../../src/core/pipeline/create-offloader.js";
import { memoryStore } from "../../src/core/store/memory.js";
import { scriptedModel } from "../../src/testing/scripted-model.js";
import { handWrittenGraph, rowsTool } from "./large-outputs.js";

const offloader = createOffloader({ store: memoryStore() });
afterAll(async () => {
  await offloader.close();
});

const DATA = "visit 23757";
const callTwice = {
  toolCalls: ["Rome", "Oslo"].map((only) => ({ name: "list_rows", args: { only } })),
};

/** What all of these have for a test: a stream of a run in one mode. */
type Streamed = (
  mode: "values" | "updates" | "messages" | "custom" | "debug" | "tools",
) => Promise<AsyncIterable<unknown>>;

const model = () => scriptedModel([callTwice, "Half of them."]);
const node = () => offloadToolNode([rowsTool()], { offloader });
const input = () => ({ messages: [new HumanMessage("How many?")] });
const config = { configurable: { thread_id: "t-stream" } };

const surfaces: Record<string, Streamed> = {
  "createAgent with the middleware": (streamMode) =>
    createAgent({
      model: model(),
      tools: [rowsTool()],
      middleware: [offloadMiddleware({ offloader })],
    }).stream(input(), { ...config, streamMode }),
  "a graph with offloadToolNode": (streamMode) =>
    handWrittenGraph(model(), [], node())
      .compile()
      .stream(input(), { ...config, streamMode }),
  "an agent with a wrapped tool": (streamMode) =>
    createAgent({
      model: model(),
      tools: [withOffload(rowsTool(), { offloader })],
    }).stream(input(), { ...config, streamMode }),
  "a graph with a wrapped tool": (streamMode) =>
    handWrittenGraph(model(), [], new ToolNode([withOffload(rowsTool(), { offloader })]))
      .compile()
      .stream(input(), { ...config, streamMode }),
  "a graph with offload around a function": (streamMode) => {
    const tools = node();
    const plain = offloadToolNode([rowsTool()], { enabled: false, drillIn: false });
    const around = offloadNode(
      async (state: { messages: BaseMessage[] }, runConfig: object) =>
        (await plain.invoke(state, runConfig)) as { messages: BaseMessage[] },
      { offloader: tools.offloader },
    );
    return handWrittenGraph(model(), [], around)
      .compile({ checkpointer: new MemorySaver() })
      .stream(input(), { ...config, streamMode });
  },
};

async function chunksOf(stream: AsyncIterable<unknown>): Promise<unknown[]> {
  const chunks: unknown[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

describe.each(Object.entries(surfaces))("streams of %s", (_name, stream) => {
  it.each(["values", "updates", "debug"] as const)(
    "carry descriptors and no data in mode %s",
    async (mode) => {
      const text = JSON.stringify(await chunksOf(await stream(mode)));
      expect(text).toContain(String.raw`{\"offloaded\":true`);
      expect(text).toContain("Half of them.");
      expect(text).not.toContain(DATA);
    },
  );

  it("carry each message once in mode messages", async () => {
    const chunks = (await chunksOf(await stream("messages"))) as [BaseMessage][];
    const texts = chunks.map(([message]) => `${message.type}: ${message.text.slice(0, 17)}`);
    expect(texts).toEqual([
      "ai: ",
      'tool: {"offloaded":true',
      'tool: {"offloaded":true',
      "ai: Half of them.",
    ]);
    expect(JSON.stringify(chunks)).not.toContain(DATA);
  });
});

describe("the custom stream of a tool", () => {
  it("carries the events of a wrapped tool that another tool calls with its own config", async () => {
    const inner = withOffload(rowsTool("inner"), { offloader });
    const outer = tool(async (_, runConfig) => String(await inner.invoke({}, runConfig)), {
      name: "list_rows",
      description: "Calls another tool.",
      schema: z.object({}),
    });
    const agent = createAgent({ model: model(), tools: [outer] });
    const chunks = await chunksOf(await agent.stream(input(), { ...config, streamMode: "custom" }));
    expect(chunks).toHaveLength(2);
    expect(chunks[0]).toMatchObject({
      "langchain-offload": { type: "offloaded", storedArtifact: { toolName: "inner" } },
    });
  });
});

describe("the stream of tool events", () => {
  it("carries the descriptor of a tool wrapped with trace: descriptor", async () => {
    const wrapped = withOffload(rowsTool(), { offloader, trace: "descriptor" });
    const agent = createAgent({ model: model(), tools: [wrapped] });
    const chunks = await chunksOf(await agent.stream(input(), { ...config, streamMode: "tools" }));
    expect(chunks).toEqual(
      expect.arrayContaining([expect.objectContaining({ event: "on_tool_end" })]),
    );
    expect(JSON.stringify(chunks)).not.toContain(DATA);
  });
});
