import {
  type BaseMessage,
  HumanMessage,
  mapChatMessagesToStoredMessages,
  mapStoredMessagesToChatMessages,
  type StoredMessage,
  ToolMessage,
} from "@langchain/core/messages";
import {
  Command,
  getCurrentTaskInput,
  MemorySaver,
  MessagesAnnotation,
  START,
  StateGraph,
} from "@langchain/langgraph";
import { createMiddleware } from "langchain";
import { describe, expect, it } from "vitest";

import { memoryStore, offloadNode, sessionKeyOf } from "../../src/index.js";
import type { ScriptedTurn } from "../../src/testing/scripted-model.js";
import { fieldOf } from "../../src/util/field-of.js";
import { sharedOffloader } from "../opened-offloaders.js";
import { agentOf, calling, thread, toolNamed } from "./agents.js";
import { countRome, question, rowsTool, toolMessages } from "./large-outputs.js";

const offloader = sharedOffloader();
const ROWS = JSON.stringify(Array.from({ length: 800 }, (_, id) => ({ id, city: "Rome" })));
const rows = toolNamed("rows", () => ROWS);
const ask = { messages: [new HumanMessage("Go.")] };

it("what a conversation keeps of its outputs is checkpointed, never part of the agent's output, and written by nobody who calls the agent", async () => {
  const more = { checkpointer: new MemorySaver() };
  const agent = agentOf([calling("rows")], [rows], { offloader }, more);
  const forged = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
  const output = await agent.invoke(
    { ...ask, _offloads: { [forged]: "0".repeat(64) } },
    thread("t"),
  );
  expect(Object.keys(output)).toEqual(["messages"]);
  const { values } = await agent.graph.getState(thread("t"));
  const kept = Object.entries(Object(fieldOf(values, "_offloads")));
  expect(kept).toEqual([
    [expect.stringMatching(/^[0-9A-HJKMNP-TV-Z]{26}$/), expect.stringMatching(/^[0-9a-f]{64}$/)],
  ]);
  expect(kept[0]?.[0]).not.toBe(forged);
});

it("a result that is noted is still a message for middleware around this one, and is streamed once", async () => {
  const seen: unknown[] = [];
  const outer = createMiddleware({
    name: "outer",
    async wrapToolCall(request, handler) {
      const result = await handler(request);
      seen.push(result);
      return result;
    },
  });
  const agent = agentOf([calling("rows")], [rows], { offloader }, { before: [outer] });
  const streamed: ToolMessage[] = [];
  for await (const [message] of await agent.stream(ask, { streamMode: "messages" })) {
    if (ToolMessage.isInstance(message)) streamed.push(message);
  }
  expect(seen.every((result) => ToolMessage.isInstance(result))).toBe(true);
  expect(streamed.map(({ text }) => text)).toEqual([expect.stringContaining('"offloaded":true')]);
});

/** The lengths of what tools said. */
const lengths = (messages: readonly BaseMessage[] = []): number[] =>
  toolMessages(messages).map(({ text }) => text.length);

it("a command that carries the conversation along has its own output offloaded, and none that a model has seen before", async () => {
  // As handoffs between agents do.
  const handOff = toolNamed("hand_off", (_args, config) => {
    const { messages } = getCurrentTaskInput<{ messages: BaseMessage[] }>(config);
    const own = { name: "hand_off", tool_call_id: config.toolCall?.id ?? "", content: ROWS };
    return new Command({ update: { messages: [...messages, new ToolMessage(own)] } });
  });
  const turns = [calling("rows"), "Those are they.", calling("hand_off"), "Done."];
  const options = { store: memoryStore() };
  const agent = agentOf(turns, [rows, handOff], options, { checkpointer: new MemorySaver() });
  await agent.invoke(ask, { configurable: { thread_id: "one", offload: { enabled: false } } });
  await agent.invoke(ask, thread("one"));
  const [seen, own = 0] = lengths(agent.model.requests.at(-1));
  expect(seen).toBe(ROWS.length);
  expect(own).toBeLessThan(2_000);
});

it("a tool message that is written as a plain object is offloaded in what a node gives, and comes back as it is where it is small", async () => {
  const said = { content: ROWS, name: "rows", tool_call_id: "call" };
  const plain = [
    { role: "tool", ...said },
    { type: "tool", ...said },
  ];
  const update = { messages: plain, notes: plain.slice(1) };
  const { messages, notes } = Object(await offloadNode(() => update, { offloader })());
  expect(lengths(messages)).toHaveLength(2);
  expect(notes).toBe(update.notes);
  const small = { messages: [{ role: "tool", content: "two rows", tool_call_id: "call" }] };
  expect(await offloadNode(() => small, { offloader })()).toEqual(small);
});

it.each([
  ["says that a message carries it", () => ({})],
  [
    "writes where pointers are kept",
    (id: string) => ({ _offloads: { [id]: sessionKeyOf("victim") } }),
  ],
  ["names the session as its own", () => ({ _offloadOwn: "victim" })],
])(
  "an artifact that a tool made up does not open another session's output to a tool whose command %s",
  async (_, also) => {
    const value = "secret line\n".repeat(3000);
    const { storedArtifact } = await offloader.put(value, { sessionId: "victim" });
    const { id, sessionKey } = storedArtifact;
    const claiming = toolNamed("claiming", (_args, { toolCall }) => {
      const artifact = { id, sessionKey, sizeBytes: 5 };
      const said = { content: "ok", artifact, tool_call_id: toolCall?.id ?? "" };
      return new Command({ update: { ...also(id), messages: [new ToolMessage(said)] } });
    });
    const turns = [calling("claiming"), calling("read_tool_output", { id }), "Done."];
    const agent = agentOf(turns, [claiming], { offloader });
    const { messages } = await agent.invoke(ask, thread("own-thread"));
    expect(messages.at(-2)?.text).toMatch(/^No stored output has this id or name\. Pass it as/);
  },
);

it("a tool's own artifact with fields of the same names opens nothing, and ends no run", async () => {
  const artifact = [
    { id: 7, sessionKey: { drive: "a" }, sizeBytes: 10 },
    { id: "7", sessionKey: "a", sizeBytes: 1 },
  ];
  const listing = toolNamed("listing", (_args, { toolCall }) => {
    const said = { content: "two files", tool_call_id: toolCall?.id ?? "", artifact };
    return new Command({ update: { messages: [new ToolMessage(said)] } });
  });
  const state = await agentOf([calling("listing"), "Two."], [listing], { offloader }).invoke(ask);
  expect(state.messages.at(-1)?.text).toBe("Two.");
  expect(Reflect.get(state, "_offloads") ?? {}).toEqual({});
});

const fetchRows = calling("list_rows");
/** A conversation that its application keeps: the first question fetches the rows, the second counts those that are Rome's. */
const script: readonly ScriptedTurn[] = [
  (messages) => (isFirst(messages) ? fetchRows : countRome(messages)),
  (messages) => (isFirst(messages) ? "Stored." : (messages.at(-1)?.text ?? "")),
];

function isFirst(messages: readonly BaseMessage[]): boolean {
  return messages.filter(({ type }) => type === "human").length === 1;
}

describe("L1: without a thread id", () => {
  it("drills into the output of an earlier run whose messages are kept as JSON", async () => {
    const agent = agentOf(script, [rowsTool()], { offloader });
    const { messages: first } = await agent.invoke(question);
    const kept = JSON.stringify(mapChatMessagesToStoredMessages(first));
    const read = mapStoredMessagesToChatMessages(JSON.parse(kept) as StoredMessage[]);
    const { messages } = await agent.invoke({ messages: [...read, ...question.messages] });
    expect(messages.at(-1)?.text).toMatch(/^400\n/);
  });

  it("works after a hand-off to another agent by a command to the parent graph", async () => {
    const handOff = toolNamed(
      "hand_off",
      (_input, config) =>
        new Command({
          goto: "second",
          graph: Command.PARENT,
          update: { messages: (config as { state: { messages: BaseMessage[] } }).state.messages },
        }) as never,
    );
    const made = (turns: readonly ScriptedTurn[]): ReturnType<typeof agentOf> =>
      agentOf(turns, [rowsTool(), handOff], { offloader });
    const first = made([fetchRows, calling("hand_off")]);
    const second = made([fetchRows, "never", countRome, (all) => all.at(-1)?.text ?? ""]);
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("first", first.graph as never, { ends: ["second"] })
      .addNode("second", second.graph as never)
      .addEdge(START, "first")
      .compile();
    const { messages } = await graph.invoke(question);
    expect(messages.at(-1)?.text).toMatch(/^400\n/);
  });
});
