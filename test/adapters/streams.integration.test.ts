import { Readable } from "node:stream";

import { type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import { createAgent } from "langchain";
import { describe, expect, it } from "vitest";

import {
  memoryStore,
  type OffloadEvent,
  offloadMiddleware,
  offloadNode,
  offloadToolNode,
  withOffload,
} from "../../src/index.js";
import { scriptedModel } from "../../src/testing/scripted-model.js";
import { SURFACES } from "../corpus/surfaces.js";
import { sharedOffloader } from "../opened-offloaders.js";
import { agentOf, calling, thread, toolNamed } from "./agents.js";
import {
  artifactsOf,
  countRome,
  handWrittenGraph,
  question,
  rows,
  rowsTool,
  toolMessages,
} from "./large-outputs.js";

const events: OffloadEvent[] = [];
const offloader = sharedOffloader({ onEvent: (event) => events.push(event) });

const callOnce = calling("list_rows");
const isDescriptor = /^\{"offloaded":true/;

/** A tool that returns what `make` gives. */
const streamTool = (make: () => unknown) => toolNamed("list_rows", async () => make());

async function* slowly<Part>(parts: Iterable<Part>): AsyncGenerator<Part, void> {
  for (const part of parts) yield part;
}

/** An async iterable that is no generator: what a generator yields are events to LangChain. */
const iterable = <Part>(parts: Iterable<Part>): AsyncIterable<Part> => ({
  [Symbol.asyncIterator]: () => slowly(parts),
});

const json = JSON.stringify(rows);
const halves = [json.slice(0, 9_000), json.slice(9_000)];

let threads = 0;
const nextThread = (): string => `stream-${(threads += 1)}`;

describe.each(Object.entries(SURFACES))("%s", (_name, surface) => {
  const runOf = (given: ReturnType<typeof streamTool>) => {
    const { invoke } = surface(offloader, [given], [callOnce, (messages) => countRome(messages)]);
    return (thread_id: string) => invoke(question, thread(thread_id));
  };

  it.each<[string, () => unknown]>([
    ["records", () => iterable(rows)],
    ["text", () => iterable(halves)],
    ["a Node stream of text", () => Readable.from(halves)],
  ])("offloads %s once, as the value would be", async (_kind, make) => {
    events.length = 0;
    const { messages } = await runOf(streamTool(make))(nextThread());
    const [first, second] = toolMessages(messages);
    expect(first?.text).toMatch(isDescriptor);
    expect(artifactsOf(messages)).toMatchObject([{ recordCount: rows.length, kind: "json-array" }]);
    expect(second?.text).toContain("400");
    expect(events.filter(({ type }) => type === "offloaded")).toHaveLength(1);
  });

  it("leaves a short stream inline: text joined, records as a JSON array", async () => {
    const text = await runOf(streamTool(() => iterable(["one ", "two"])))(nextThread());
    expect(toolMessages(text.messages)[0]?.text).toBe("one two");
    const records = await runOf(streamTool(() => iterable([{ type: "a" }, 2, null])))(nextThread());
    expect(toolMessages(records.messages)[0]?.text).toBe('[{"type":"a"},2,null]');
    const empty = await runOf(streamTool(() => iterable([])))(nextThread());
    expect(toolMessages(empty.messages)[0]?.text).toBe("");
  });
});

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

const runOffloader = sharedOffloader();

const DATA = "visit 23757";
const callTwice = {
  toolCalls: ["Rome", "Oslo"].map((only) => ({ name: "list_rows", args: { only } })),
};

/** What all of these have for a test: a stream of a run in one mode. */
type Streamed = (
  mode: "values" | "updates" | "messages" | "custom" | "debug" | "tools",
) => Promise<AsyncIterable<unknown>>;

const model = () => scriptedModel([callTwice, "Half of them."]);
const node = () => offloadToolNode([rowsTool()], { offloader: runOffloader });
const input = () => ({ messages: [new HumanMessage("How many?")] });
const config = thread("t-stream");

const surfaces: Record<string, Streamed> = {
  "createAgent with the middleware": (streamMode) =>
    createAgent({
      model: model(),
      tools: [rowsTool()],
      middleware: [offloadMiddleware({ offloader: runOffloader })],
    }).stream(input(), { ...config, streamMode }),
  "a graph with offloadToolNode": (streamMode) =>
    handWrittenGraph(model(), [], node())
      .compile()
      .stream(input(), { ...config, streamMode }),
  "an agent with a wrapped tool": (streamMode) =>
    createAgent({
      model: model(),
      tools: [withOffload(rowsTool(), { offloader: runOffloader })],
    }).stream(input(), { ...config, streamMode }),
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
  const inner = withOffload(rowsTool("inner"), { offloader: runOffloader });
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
  const wrapped = withOffload(rowsTool(), { offloader: runOffloader, trace: "descriptor" });
  const agent = createAgent({ model: model(), tools: [wrapped] });
  const chunks = await chunksOf(await agent.stream(input(), { ...config, streamMode: "tools" }));
  expect(chunks).toEqual(
    expect.arrayContaining([expect.objectContaining({ event: "on_tool_end" })]),
  );
  expect(JSON.stringify(chunks)).not.toContain(DATA);
});
