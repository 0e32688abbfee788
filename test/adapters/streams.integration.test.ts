import { Readable } from "node:stream";

import type { BaseMessage } from "@langchain/core/messages";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { createAgent } from "langchain";
import { expect, it } from "vitest";

import {
  memoryStore,
  type OffloadEvent,
  offloadNode,
  offloadToolNode,
  resultText,
  withOffload,
} from "../../src/index.js";
import { scriptedModel } from "../../src/testing/scripted-model.js";
import { sharedOffloader } from "../opened-offloaders.js";
import { agentOf, calling, thread, toolNamed } from "./agents.js";
import { handWrittenGraph, question, rows, rowsTool } from "./large-outputs.js";

const events: OffloadEvent[] = [];
const offloader = sharedOffloader({ onEvent: (event) => events.push(event) });

const callOnce = calling("list_rows");

/** A tool that returns what `make` gives. */
const streamTool = (make: () => unknown) => toolNamed("list_rows", async () => make());

it("a run that is aborted ends a stream that never comes to an end, and tells its maker", async () => {
  let closed = false;
  async function* endless() {
    try {
      for (;;) yield "and so on ";
    } finally {
      closed = true;
    }
  }
  const agent = agentOf(
    [callOnce, "Done."],
    [streamTool(() => ({ [Symbol.asyncIterator]: endless }))],
    { offloader },
  );
  const run = agent.invoke(question, { signal: AbortSignal.timeout(300) });
  await expect(run).rejects.toThrow(/abort|timeout/i);
  await expect.poll(() => closed).toBe(true);
});

it("a tool that is not offloaded keeps its stream for itself", async () => {
  const stream = Readable.from(rows);
  const agent = agentOf([callOnce, "Done."], [streamTool(() => stream)], {
    store: memoryStore(),
    exclude: ["list_rows"],
  });
  await agent.invoke(question);
  expect(stream.readableDidRead).toBe(false);
});

const DATA = "visit 23757";
const callTwice = {
  toolCalls: ["Rome", "Oslo"].map((only) => ({ name: "list_rows", args: { only } })),
};
const model = () => scriptedModel([callTwice, "Half of them."]);
const config = thread("t-stream");

interface Streamed {
  stream(given: typeof question, config: object): Promise<AsyncIterable<unknown>>;
  invoke(given: typeof question, config: object): Promise<{ messages: BaseMessage[] }>;
}

const streams: Record<string, (given?: ReturnType<typeof rowsTool>) => Streamed> = {
  "createAgent with the middleware": (given = rowsTool()) =>
    agentOf([callTwice, "Half of them."], [given], { offloader }),
  "a graph with offloadToolNode": (given = rowsTool()) =>
    handWrittenGraph(model(), [], offloadToolNode([given], { offloader })).compile(),
  "an agent with a wrapped tool": (given = rowsTool()) =>
    createAgent({ model: model(), tools: [withOffload(given, { offloader })] }) as never,
  "a graph with offload around a node": (given = rowsTool()) =>
    handWrittenGraph(model(), [], offloadNode(new ToolNode([given]), { offloader })).compile(),
};

it.each(Object.entries(streams))(
  "%s shows bytes that stay as the text that they are, others as base64",
  async (_name, make) => {
    const text = "größer als ein Wort\n".repeat(200);
    const data = Buffer.from([0, 255, 1]);
    const base64 = '{"bytes":3,"base64":"AP8B"}';
    for (const [value, expected] of [
      [Buffer.from(text), text],
      [new Uint8Array(Buffer.from(text)).buffer, text],
      [new Blob([text]), text],
      [Buffer.from(text, "latin1"), text],
      [data, base64],
      [new Blob([data]), base64],
    ] as const) {
      const { messages } = await make(streamTool(() => value) as never).invoke(question, config);
      expect(messages.at(-2)?.content).toBe(expected);
      const result = await offloader.offload({ toolName: "t", value, sessionId: "s" });
      expect([result.outcome, resultText(result)]).toEqual(["inline", expected]);
    }
  },
);

it.each(Object.entries(streams))(
  "streams of %s carry descriptors and no data in any mode, and each message once",
  async (_name, make) => {
    const streamMode = ["values", "updates", "debug", "messages"];
    const chunks: [string, unknown][] = [];
    for await (const chunk of await make().stream(question, { ...config, streamMode }))
      chunks.push(chunk as [string, unknown]);
    const carried = streamMode.map((wanted) => chunks.filter(([mode]) => mode === wanted));
    for (const all of carried.slice(0, 3)) {
      const text = JSON.stringify(all);
      expect(text).toContain(String.raw`{\"offloaded\":true`);
      expect(text).toContain("Half of them.");
    }
    const messages = carried[3]?.map(([, chunk]) => (chunk as [BaseMessage])[0]) ?? [];
    expect(messages.map(({ type, text }) => `${type}: ${text.slice(0, 17)}`)).toEqual([
      "ai: ",
      'tool: {"offloaded":true',
      'tool: {"offloaded":true',
      "ai: Half of them.",
    ]);
    expect(JSON.stringify(chunks)).not.toContain(DATA);
  },
);

it("the custom stream of a tool carries the events of a wrapped tool that another tool calls with its own config, and the stream of tool events its descriptor", async () => {
  const inner = withOffload(rowsTool("inner"), { offloader, trace: "descriptor" });
  const outer = toolNamed("list_rows", async (_, running) =>
    String(await inner.invoke({}, running)),
  );
  const agent = createAgent({ model: model(), tools: [outer] });
  const chunks: unknown[] = [];
  for await (const chunk of await agent.stream(question, {
    ...config,
    streamMode: ["custom", "tools"],
  }))
    chunks.push(chunk);
  const event = { type: "offloaded", storedArtifact: { toolName: "inner" } };
  expect(chunks.filter((chunk) => Array.isArray(chunk) && chunk[0] === "custom")).toMatchObject([
    ["custom", { "langchain-offload": event }],
    ["custom", { "langchain-offload": event }],
  ]);
  expect(chunks).toContainEqual(["tools", expect.objectContaining({ event: "on_tool_end" })]);
  expect(JSON.stringify(chunks)).not.toContain(DATA);
});
