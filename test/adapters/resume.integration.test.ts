import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import type { StructuredToolInterface } from "@langchain/core/tools";
import { toJsonSchema } from "@langchain/core/utils/json_schema";
import { type BaseCheckpointSaver, Command, interrupt, MemorySaver } from "@langchain/langgraph";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import { createAgent } from "langchain";
import { afterAll, describe, expect, it } from "vitest";

import { humanMessages } from "../../src/adapters/langchain/human-messages/index.js";
import { references } from "../../src/adapters/langchain/references/index.js";
import {
  createOffloader,
  fileStore,
  type Offloader,
  offloadFrom,
  offloadMiddleware,
  offloadToolNode,
  sessionKeyOf,
  withOffload,
} from "../../src/index.js";
import { scriptedModel, type ScriptedTurn } from "../../src/testing/scripted-model.js";
import { openedOffloaders, sharedOffloader } from "../opened-offloaders.js";
import { agentOf, calling, toolNamed } from "./agents.js";
import {
  artifactsOf,
  countRome,
  handWrittenGraph,
  question,
  rows,
  rowsTool,
  toolMessages,
} from "./large-outputs.js";

const opened = openedOffloaders();
const approved = toolNamed("approved", () => `answer: ${String(interrupt("send?"))}`);

/** What the surfaces have in common. */
interface Run {
  invoke(input: unknown, config: object): Promise<{ messages: BaseMessage[] }>;
  getState(config: object): Promise<{ config: object; values: { messages: BaseMessage[] } }>;
  getStateHistory(config: object): AsyncIterable<{
    config: object;
    values: { messages?: BaseMessage[] };
  }>;
}

interface Given {
  readonly offloader: Offloader;
  readonly turns: readonly ScriptedTurn[];
  readonly checkpointer?: BaseCheckpointSaver;
  readonly list?: ReturnType<typeof rowsTool>;
}

type Surface = (given: Given) => Run;

const agent =
  (version: "v1" | "v2"): Surface =>
  ({ offloader, turns, checkpointer = new MemorySaver(), list = rowsTool() }) =>
    agentOf(turns, [list, approved], { offloader }, { checkpointer, version });

const graphOf =
  (wrap: (list: ReturnType<typeof rowsTool>, offloader: Offloader) => unknown): Surface =>
  ({ offloader, turns, checkpointer = new MemorySaver(), list = rowsTool() }) => {
    const node = offloadToolNode([wrap(list, offloader), approved] as never, { offloader });
    return handWrittenGraph(scriptedModel(turns), [], node).compile({ checkpointer });
  };

const surfaces: [name: string, surface: Surface, runs: number][] = [
  ["createAgent v1", agent("v1"), 2],
  ["createAgent v2", agent("v2"), 1],
  ["a hand-written graph", graphOf((list) => list), 2],
];
const savers: [string, () => BaseCheckpointSaver][] = [
  ["memory", () => new MemorySaver()],
  ["SQLite", () => SqliteSaver.fromConnString(":memory:")],
];
const cases = surfaces.flatMap(([surface, make]) =>
  savers.map(([saver, newSaver]) => [`${surface} with checkpoints in ${saver}`, make, newSaver]),
) as [string, Surface, () => BaseCheckpointSaver][];

const callRows = calling("list_rows");

describe.each(cases)("%s", (name, surface, newSaver) => {
  const offloader = sharedOffloader();
  const thread = (id: string) => ({ configurable: { thread_id: `${name}-${id}` } });

  it("keeps the data out of its checkpoints, and drills in after a later question", async () => {
    const turn: ScriptedTurn = (messages) =>
      artifactsOf(messages).length === 0 ? callRows : countRome(messages);
    const run = surface({ offloader, turns: [turn], checkpointer: newSaver() });
    const config = thread("later");
    await run.invoke(question, config);
    const { messages } = await run.invoke(question, config);
    expect(toolMessages(messages)[1]?.text).toMatch(/^400\n/);
    for await (const { values } of run.getStateHistory(config)) {
      expect(JSON.stringify(values)).not.toContain("visit 7919");
    }
  });
});

const wrapped = graphOf((list, offloader) => withOffload(list, { offloader }));

describe.each<[string, Surface, number]>([...surfaces, ["a wrapped tool", wrapped, 2]])(
  "%s, resumed beside a call that paused",
  (name, surface, runs) => {
    it("has one artifact and one event (A6) of the other call, however often that ran", async () => {
      const { offloader, events } = opened();
      const list = rowsTool();
      let calls = 0;
      const { func } = list;
      list.func = (...args) => {
        calls += 1;
        return func(...args);
      };
      const both = ["list_rows", "approved"].map((tool) => ({ name: tool, args: {} }));
      const run = surface({ offloader, turns: [{ toolCalls: both }, countRome], list });
      const config = { configurable: { thread_id: name } };
      await run.invoke(question, config);
      const { messages } = await run.invoke(new Command({ resume: "yes" }), config);
      const { artifacts } = await offloader.store.list(sessionKeyOf(name));
      expect(calls).toBe(runs);
      expect(artifacts).toHaveLength(1);
      expect(events.filter(({ type }) => type === "offloaded")).toHaveLength(1);
      expect(toolMessages(messages)[0]?.text).toContain(artifacts[0]?.id);
      if (surface !== wrapped) expect(artifactsOf(messages)[0]?.id).toBe(artifacts[0]?.id);
    });
  },
);

const folder = mkdtempSync(join(tmpdir(), "offload-stable-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What a provider is sent: for a prompt cache all of it counts. */
interface Request {
  readonly tools: string;
  readonly messages: readonly string[];
}

function sent(message: BaseMessage): string {
  const { type, content, name } = message;
  const calls = AIMessage.isInstance(message) ? message.tool_calls : undefined;
  const answer = ToolMessage.isInstance(message)
    ? [message.tool_call_id, message.status, message.artifact]
    : undefined;
  return JSON.stringify([type, content, name, calls, answer]);
}

const read =
  (which: number): ScriptedTurn =>
  (messages) => {
    const id = artifactsOf(messages)[which]?.id;
    return calling("read_tool_output", { id, start_line: 2, end_line: 4 });
  };

/** An agent of its own process, as far as memory goes: only the folder is shared. */
function freshAgent(requests: Request[]): {
  send(text: string): Promise<void>;
  close(): Promise<void>;
} {
  const offloader = createOffloader({
    store: fileStore({ directory: join(folder, "store") }),
    plugins: [humanMessages({ threshold: { tokens: 2000 } }), references()],
  });
  const model = scriptedModel([
    {
      toolCalls: [
        { name: "list_rows", args: {} },
        { name: "list_rows", args: { only: "Rome" } },
      ],
    },
    read(0),
    calling("by_hand"),
    read(2),
  ]);
  const bind = model.bindTools?.bind(model);
  let tools = "";
  model.bindTools = (given, options) => {
    tools = JSON.stringify(
      (given as StructuredToolInterface[]).map(({ name, description, schema }) => [
        name,
        description,
        toJsonSchema(schema),
      ]),
    );
    return bind?.(given, options) ?? model;
  };
  const byHand = toolNamed(
    "by_hand",
    async (_, config) => await offloadFrom(config)(rows.slice(0, 300), { title: "A part" }),
  );
  const agent = createAgent({
    model,
    systemPrompt: "Be brief.",
    tools: [rowsTool(), byHand],
    middleware: [offloadMiddleware({ offloader })],
    checkpointer: SqliteSaver.fromConnString(join(folder, "checkpoints")),
  });
  const generate = model._generate.bind(model);
  model._generate = async (messages, ...rest) => {
    requests.push({ tools, messages: messages.map((message) => sent(message)) });
    return await generate(messages, ...rest);
  };
  return {
    async send(text) {
      const thread = { configurable: { thread_id: "t" } };
      await agent.invoke({ messages: [new HumanMessage(text)] }, thread);
    },
    close: () => offloader.close(),
  };
}

const long = (about: string): string =>
  `Look at this ${about}.\n${JSON.stringify(rows.map((row) => ({ ...row, about })))}\nWhat is it?`;

it("what a model is sent in one call is the beginning of what it is sent in the next, byte for byte, over turns and processes", async () => {
  const requests: Request[] = [];
  const first = freshAgent(requests);
  await first.send(long("week"));
  await first.send("Go on.");
  await first.send("Go on.");
  await first.close();
  const second = freshAgent(requests);
  await second.send("Go on.");
  await second.send(long("month"));
  await second.send("Go on.");
  await second.close();

  expect(requests).toHaveLength(6 * 5);
  expect(new Set(requests.map(({ tools }) => tools)).size).toBe(1);
  expect(requests[0]?.tools).toContain("read_tool_output");
  for (const [index, { messages }] of requests.slice(1).entries()) {
    const before = requests[index]?.messages ?? [];
    expect(messages.slice(0, before.length)).toEqual(before);
    expect(messages.length).toBeGreaterThan(before.length);
  }
  const all = requests.at(-1)?.messages ?? [];
  expect(all.filter((message) => message.includes('offloaded\\":true'))).toHaveLength(2 + 6 * 3);
  expect(all.join("").length).toBeLessThan(200_000);
}, 120_000);
