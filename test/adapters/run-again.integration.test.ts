import type { BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { Command, interrupt, MemorySaver } from "@langchain/langgraph";
import { createAgent } from "langchain";
import { describe, expect, it } from "vitest";

import { offloadMiddleware } from "../../src/adapters/langchain/offload-middleware.js";
import { offloadToolNode } from "../../src/adapters/langchain/offload-tool-node.js";
import { withOffload } from "../../src/adapters/langchain/with-offload.js";
import type { OffloadEvent } from "../../src/core/types/events.js";
import { createOffloader, type Offloader } from "../../src/core/pipeline/create-offloader.js";
import { memoryStore } from "../../src/core/store/memory.js";
import { sessionKeyOf } from "../../src/core/store/naming.js";
import { scriptedModel, type ScriptedTurn } from "../../src/testing/scripted-model.js";
import {
  artifactsOf,
  countRome,
  handWrittenGraph,
  question,
  rowsTool,
  toolMessages,
} from "./large-outputs.js";

const approved = tool(() => `answer: ${String(interrupt("send?"))}`, {
  name: "approved",
  description: "Asks a person first.",
});

/** What the surfaces have in common. */
interface Run {
  invoke(input: unknown, config: object): Promise<{ messages: BaseMessage[] }>;
}

type Surface = (
  offloader: Offloader,
  list: ReturnType<typeof rowsTool>,
  turns: readonly ScriptedTurn[],
) => Run;

const agent =
  (version: "v1" | "v2"): Surface =>
  (offloader, list, turns) =>
    createAgent({
      model: scriptedModel(turns),
      tools: [list, approved],
      middleware: [offloadMiddleware({ offloader })],
      checkpointer: new MemorySaver(),
      version,
    });

const graph: Surface = (offloader, list, turns) => {
  const node = offloadToolNode([list, approved], { offloader });
  const built = handWrittenGraph(scriptedModel(turns), [], node);
  return built.compile({ checkpointer: new MemorySaver() });
};

const wrapped: Surface = (offloader, list, turns) => {
  const tools = [withOffload(list, { offloader }), approved];
  const node = offloadToolNode(tools, { offloader });
  const built = handWrittenGraph(scriptedModel(turns), [], node);
  return built.compile({ checkpointer: new MemorySaver() });
};

const turns: readonly ScriptedTurn[] = [
  { toolCalls: ["list_rows", "approved"].map((name) => ({ name, args: {} })) },
  countRome,
];

describe.each<[string, Surface, number]>([
  ["createAgent v1", agent("v1"), 2],
  ["createAgent v2", agent("v2"), 1],
  ["a hand-written graph", graph, 2],
  ["a wrapped tool", wrapped, 2],
])("%s, resumed beside a call that paused", (name, surface, runs) => {
  it("has one artifact and one event (A6) of the other call, however often that ran", async () => {
    const told: string[] = [];
    const onEvent = ({ type }: OffloadEvent): number => told.push(type);
    const offloader = createOffloader({ store: memoryStore(), onEvent });
    const list = rowsTool();
    let calls = 0;
    const { func } = list;
    list.func = (...args) => {
      calls += 1;
      return func(...args);
    };
    const run = surface(offloader, list, turns);
    const config = { configurable: { thread_id: name } };
    await run.invoke(question, config);
    const { messages } = await run.invoke(new Command({ resume: "yes" }), config);
    const { artifacts } = await offloader.store.list(sessionKeyOf(name));
    expect(calls).toBe(runs);
    expect(artifacts).toHaveLength(1);
    expect(told.filter((type) => type === "offloaded")).toHaveLength(1);
    expect(toolMessages(messages)[0]?.text).toContain(artifacts[0]?.id);
    if (surface !== wrapped) expect(artifactsOf(messages)[0]?.id).toBe(artifacts[0]?.id);
    await offloader.close();
  });
});
