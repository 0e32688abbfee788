import type { BaseMessage } from "@langchain/core/messages";
import { type BaseCheckpointSaver, MemorySaver } from "@langchain/langgraph";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import { describe, expect, it } from "vitest";

import { type Offloader, offloadToolNode } from "../../src/index.js";
import { scriptedModel, type ScriptedTurn } from "../../src/testing/scripted-model.js";
import { sharedOffloader } from "../opened-offloaders.js";
import { agentOf, calling } from "./agents.js";
import {
  artifactsOf,
  countRome,
  handWrittenGraph,
  question,
  rowsTool,
  toolMessages,
} from "./large-outputs.js";

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
  readonly checkpointer: BaseCheckpointSaver;
}

type Surface = (given: Given) => Run;

const agent =
  (version: "v1" | "v2"): Surface =>
  ({ offloader, turns, checkpointer }) =>
    agentOf(turns, [rowsTool()], { offloader }, { checkpointer, version });

const graph: Surface = ({ offloader, turns, checkpointer }) => {
  const node = offloadToolNode([rowsTool()], { offloader });
  return handWrittenGraph(scriptedModel(turns), [], node).compile({ checkpointer });
};

const surfaces: [name: string, surface: Surface][] = [
  ["createAgent v1", agent("v1")],
  ["createAgent v2", agent("v2")],
  ["a hand-written graph", graph],
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

  it("drills in from a fork of an earlier checkpoint", async () => {
    const checkpointer = newSaver();
    const run = surface({ offloader, turns: [callRows, "Offloaded."], checkpointer });
    await run.invoke(question, thread("fork"));
    const forks: object[] = [];
    for await (const { config, values } of run.getStateHistory(thread("fork"))) {
      if (values.messages?.at(-1)?.type === "tool") forks.push(config);
    }
    const asking = surface({ offloader, turns: [callRows, countRome], checkpointer });
    const { messages } = await asking.invoke(null, forks[0] ?? {});
    expect(toolMessages(messages)).toHaveLength(2);
    expect(toolMessages(messages)[1]?.text).toMatch(/^400\n/);
  });
});
