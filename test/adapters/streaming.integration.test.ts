import { type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { createAgent } from "langchain";
import { describe, expect, it } from "vitest";

import { offloadMiddleware, offloadNode, offloadToolNode, withOffload } from "../../src/index.js";
import { scriptedModel } from "../../src/testing/scripted-model.js";
import { handWrittenGraph, rowsTool } from "./large-outputs.js";
import { thread, toolNamed } from "./agents.js";
import { sharedOffloader } from "../opened-offloaders.js";

const offloader = sharedOffloader();

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
const config = thread("t-stream");

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

it("the custom stream of a tool carries the events of a wrapped tool that another tool calls with its own config", async () => {
  const inner = withOffload(rowsTool("inner"), { offloader });
  const outer = toolNamed("list_rows", async (_, runConfig) =>
    String(await inner.invoke({}, runConfig)),
  );
  const agent = createAgent({ model: model(), tools: [outer] });
  const chunks = await chunksOf(await agent.stream(input(), { ...config, streamMode: "custom" }));
  expect(chunks).toHaveLength(2);
  expect(chunks[0]).toMatchObject({
    "langchain-offload": { type: "offloaded", storedArtifact: { toolName: "inner" } },
  });
});

it("the stream of tool events carries the descriptor of a tool wrapped with trace: descriptor", async () => {
  const wrapped = withOffload(rowsTool(), { offloader, trace: "descriptor" });
  const agent = createAgent({ model: model(), tools: [wrapped] });
  const chunks = await chunksOf(await agent.stream(input(), { ...config, streamMode: "tools" }));
  expect(chunks).toEqual(
    expect.arrayContaining([expect.objectContaining({ event: "on_tool_end" })]),
  );
  expect(JSON.stringify(chunks)).not.toContain(DATA);
});
