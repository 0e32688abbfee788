import { join } from "node:path";

import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import type { StructuredToolInterface } from "@langchain/core/tools";
import { toJsonSchema } from "@langchain/core/utils/json_schema";
import { type BaseCheckpointSaver, Command, interrupt, MemorySaver } from "@langchain/langgraph";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import { createMiddleware } from "langchain";
import { describe, expect, it } from "vitest";

import { humanMessages } from "../../src/adapters/langchain/human-messages/index.js";
import { references } from "../../src/adapters/langchain/references/index.js";
import {
  createOffloader,
  fileStore,
  type Offloader,
  offloadFrom,
  offloadToolNode,
  sessionKeyOf,
  withOffload,
} from "../../src/index.js";
import { scriptedModel, type ScriptedTurn } from "../../src/testing/scripted-model.js";
import { openedOffloaders } from "../opened-offloaders.js";
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
import { newDirectory } from "../after-file.js";

const opened = openedOffloaders();
const approved = toolNamed("approved", () => `answer: ${String(interrupt("send?"))}`);

/** What the surfaces have in common. */
interface Run {
  invoke(input: unknown, config: object): Promise<{ messages: BaseMessage[] }>;
  getStateHistory(config: object): AsyncIterable<{ values: object }>;
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
describe.each(surfaces)("%s with checkpoints in SQLite", (name, surface) => {
  it("keeps the data out of its checkpoints, and drills in after a later question", async () => {
    const turn: ScriptedTurn = (messages) =>
      artifactsOf(messages).length === 0 ? calling("list_rows") : countRome(messages);
    const checkpointer = SqliteSaver.fromConnString(":memory:");
    const run = surface({ offloader: opened().offloader, turns: [turn], checkpointer });
    await run.invoke(question, thread(name));
    const { messages } = await run.invoke(question, thread(name));
    expect(toolMessages(messages)[1]?.text).toMatch(/^400\n/);
    for await (const { values } of run.getStateHistory(thread(name))) {
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
      await run.invoke(question, thread(name));
      const { messages } = await run.invoke(new Command({ resume: "yes" }), thread(name));
      const { artifacts } = await offloader.store.list(sessionKeyOf(name));
      expect(calls).toBe(runs);
      expect(artifacts).toHaveLength(1);
      expect(events.filter(({ type }) => type === "offloaded")).toHaveLength(1);
      expect(toolMessages(messages)[0]?.text).toContain(artifacts[0]?.id);
      if (surface !== wrapped) expect(artifactsOf(messages)[0]?.id).toBe(artifacts[0]?.id);
    });
  },
);

const folder = newDirectory();

/** What a provider is sent: for a prompt cache all of it counts. */
interface Request {
  readonly fixed: string;
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
function freshAgent(requests: Request[]) {
  const offloader = createOffloader({
    store: fileStore({ directory: join(folder, "store") }),
    plugins: [humanMessages({ threshold: { tokens: 2000 } }), references()],
  });
  const both = [{}, { only: "Rome" }].map((args) => ({ name: "list_rows", args }));
  const byHand = toolNamed(
    "by_hand",
    async (_, config) => await offloadFrom(config)(rows.slice(0, 300), { title: "A part" }),
  );
  const last = createMiddleware({
    name: "last",
    wrapModelCall(request, handler) {
      const tools = (request.tools as StructuredToolInterface[]).map(
        ({ name, description, schema }) => [name, description, toJsonSchema(schema)],
      );
      const fixed = JSON.stringify([tools, request.systemPrompt]);
      requests.push({ fixed, messages: request.messages.map((message) => sent(message)) });
      return handler(request);
    },
  });
  const agent = agentOf(
    [{ toolCalls: both }, read(0), calling("by_hand"), read(2)],
    [rowsTool(), byHand],
    { offloader },
    {
      systemPrompt: "Be brief.",
      after: [last],
      checkpointer: SqliteSaver.fromConnString(join(folder, "checkpoints")),
    },
  );
  return {
    send: (text: string) => agent.invoke({ messages: [new HumanMessage(text)] }, thread("t")),
    close: () => offloader.close(),
  };
}

const long = (about: string): string =>
  `Look at this ${about}.\n${JSON.stringify(rows.map((row) => ({ ...row, about })))}\nWhat is it?`;

it("what a model is sent in one call is the beginning of what it is sent in the next, byte for byte, over turns and processes", async () => {
  const requests: Request[] = [];
  for (const texts of [
    [long("week"), "Go on.", "Go on."],
    ["Go on.", long("month"), "Go on."],
  ]) {
    const agent = freshAgent(requests);
    for (const text of texts) await agent.send(text);
    await agent.close();
  }

  expect(requests).toHaveLength(6 * 5);
  expect(new Set(requests.map(({ fixed }) => fixed)).size).toBe(1);
  expect(requests[0]?.fixed).toContain("read_tool_output");
  for (const [index, { messages }] of requests.slice(1).entries()) {
    const before = requests[index]?.messages ?? [];
    expect(messages.slice(0, before.length)).toEqual(before);
    expect(messages.length).toBeGreaterThan(before.length);
  }
  const all = requests.at(-1)?.messages ?? [];
  expect(all.filter((message) => message.includes('offloaded\\":true'))).toHaveLength(2 + 6 * 3);
  expect(all.join("").length).toBeLessThan(200_000);
}, 120_000);
