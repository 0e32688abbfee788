import type { BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { type BaseCheckpointSaver, interrupt, MemorySaver } from "@langchain/langgraph";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import { createAgent } from "langchain";
import { afterAll, describe, expect, it } from "vitest";

import { offloadMiddleware } from "../../src/adapters/langchain/offload-middleware.js";
import { offloadToolNode } from "../../src/adapters/langchain/offload-tool-node.js";
import { createOffloader } from "../../src/core/pipeline/create-offloader.js";
import { memoryStore } from "../../src/core/store/memory.js";
import { scriptedModel, type ScriptedTurn } from "../../src/testing/scripted-model.js";
import {
  artifactsOf,
  countRome,
  handWrittenGraph,
  question,
  rows,
  rowsTool,
  toolMessages,
} from "./large-outputs.js";

const offloader = createOffloader({ store: memoryStore() });
afterAll(async () => {
  await offloader.close();
});

const approved = tool(() => (interrupt("send?") === "yes" ? JSON.stringify(rows) : "no"), {
  name: "approved",
  description: "Asks a person first.",
});

/** What the surfaces have in common. */
interface Run {
  invoke(input: unknown, config: object): Promise<{ messages: BaseMessage[] }>;
  getState(config: object): Promise<{ config: object; values: { messages: BaseMessage[] } }>;
  getStateHistory(config: object): AsyncIterable<{
    config: object;
    values: { messages?: BaseMessage[] };
  }>;
}

type Surface = (turns: readonly ScriptedTurn[], checkpointer: BaseCheckpointSaver) => Run;

const agent =
  (version: "v1" | "v2"): Surface =>
  (turns, checkpointer) =>
    createAgent({
      model: scriptedModel(turns),
      tools: [rowsTool(), approved],
      middleware: [offloadMiddleware({ offloader })],
      checkpointer,
      version,
    });

const graph: Surface = (turns, checkpointer) => {
  const node = offloadToolNode([rowsTool(), approved], { offloader });
  const built = handWrittenGraph(scriptedModel(turns), [], node);
  return built.compile({ checkpointer });
};

const surfaces: [string, Surface][] = [
  ["createAgent v1", agent("v1")],
  ["createAgent v2", agent("v2")],
  ["a hand-written graph", graph],
];
const savers: [string, () => BaseCheckpointSaver][] = [
  ["memory", () => new MemorySaver()],
  ["SQLite", () => SqliteSaver.fromConnString(":memory:")],
];
const cases = surfaces.flatMap(([surface, make]) =>
  savers.map(([saver, newSaver]): [string, Surface, () => BaseCheckpointSaver] => [
    `${surface} with checkpoints in ${saver}`,
    make,
    newSaver,
  ]),
);

const callRows = { toolCalls: [{ name: "list_rows", args: {} }] };

describe.each(cases)("%s", (name, surface, newSaver) => {
  const thread = (id: string) => ({ configurable: { thread_id: `${name}-${id}` } });

  it("keeps the data out of its checkpoints, and drills in after a later question", async () => {
    const run = surface(
      [(messages) => (artifactsOf(messages).length === 0 ? callRows : countRome(messages))],
      newSaver(),
    );
    const config = thread("later");
    await run.invoke(question, config);
    const { messages } = await run.invoke(question, config);
    expect(toolMessages(messages)[1]?.text).toMatch(/^400\n/);
    for await (const { values } of run.getStateHistory(config)) {
      expect(JSON.stringify(values)).not.toContain("visit 7919");
    }
  });

  it("drills in from a fork of an earlier checkpoint", async () => {
    const checkpointer = newSaver();
    const run = surface([callRows, "Offloaded."], checkpointer);
    const config = thread("fork");
    await run.invoke(question, config);
    const forks: object[] = [];
    for await (const state of run.getStateHistory(config)) {
      const last = state.values.messages?.at(-1);
      if (last?.type === "tool") forks.push(state.config);
    }
    const asking = surface([callRows, countRome], checkpointer);
    const { messages } = await asking.invoke(null, forks[0] ?? {});
    expect(toolMessages(messages)).toHaveLength(2);
    expect(toolMessages(messages)[1]?.text).toMatch(/^400\n/);
  });
});
