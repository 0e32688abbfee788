import type { BaseMessage } from "@langchain/core/messages";
import { type BaseCheckpointSaver, Command, interrupt, MemorySaver } from "@langchain/langgraph";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import { describe, expect, it } from "vitest";

import { type Offloader, offloadToolNode, sessionKeyOf, withOffload } from "../../src/index.js";
import { scriptedModel, type ScriptedTurn } from "../../src/testing/scripted-model.js";
import { openedOffloaders, sharedOffloader } from "../opened-offloaders.js";
import { agentOf, calling, toolNamed } from "./agents.js";
import {
  artifactsOf,
  countRome,
  handWrittenGraph,
  question,
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
