import { type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import { type AgentMiddleware, createAgent, createMiddleware } from "langchain";
import { describe, expect, it } from "vitest";

import {
  memoryStore,
  type OffloadEvent,
  offloadMiddleware,
  type OffloadMiddlewareOptions,
} from "../../../src/index.js";
import { scriptedModel, type ScriptedTurn } from "../../../src/testing/scripted-model.js";
import { rowsTool } from "../large-outputs.js";
import { aged, idsShown, pageOf, readPage, soon } from "./aging/rig.js";
import { aging } from "../../../src/adapters/langchain/aging/index.js";

const both: ScriptedTurn = {
  toolCalls: ["Rome", "Oslo"].map((only) => ({ name: "list_rows", args: { only }, id: only })),
};

const DONE = "All read.";

/** Reads so many pages, and is done when it is asked for more. */
function reading(count: number): ScriptedTurn[] {
  const turns = Array.from({ length: count }, (_, number): ScriptedTurn => (messages) => {
    if (messages.filter(({ type }) => type === "human").length > 1) return DONE;
    return { toolCalls: [{ name: "read_page", args: { number }, id: `page_${number}` }] };
  });
  return [...turns, DONE];
}

/** Goes on with the model once, when the agent has answered. */
function jumping(): AgentMiddleware {
  const more = [new HumanMessage(pageOf(8) + pageOf(9))];
  const hook = () => {
    const messages = more.splice(0);
    return messages.length > 0 ? { jumpTo: "model" as const, messages } : undefined;
  };
  return createMiddleware({ name: "jumping", afterAgent: { canJumpTo: ["model"], hook } });
}

interface Run {
  readonly turns: readonly ScriptedTurn[];
  readonly options?: Omit<OffloadMiddlewareOptions, "offloader">;
  readonly isJumping?: boolean;
}

const late = { ...soon, trigger: { tokens: 4_000 } };

const runs: Record<string, Run> = {
  "where two outputs of one message are offloaded": { turns: [both] },
  "of an agent with a session of its own": { turns: [both], options: { session: () => "mine" } },
  "where results age": { turns: reading(8), options: { plugins: [aging(soon)] } },
  "where aged results are replaced": {
    turns: reading(8),
    options: { plugins: [aging({ ...soon, mode: "replace" })] },
  },
  "where results age in a call that a hook jumped to": {
    turns: reading(5),
    options: { plugins: [aging(late)] },
    isJumping: true,
  },
};

/** Two runs on a thread: the updates of the agent's nodes, the messages in those of our hooks, and what the model was shown last. */
async function streamed(
  { turns, isJumping = false }: Run,
  version: "v1" | "v2",
  own: readonly AgentMiddleware[],
) {
  const model = scriptedModel(turns);
  const agent = createAgent({
    model,
    tools: [rowsTool(), readPage],
    middleware: [...own, ...(isJumping ? [jumping()] : [])] as never,
    checkpointer: new MemorySaver(),
    version,
  } as never);
  const config = { configurable: { thread_id: "one" }, recursionLimit: 100 };
  const nodes: string[] = [];
  const hooks: unknown[] = [];
  for (const text of ["Read.", "Read on."]) {
    const input = { messages: [new HumanMessage(text)] };
    for await (const chunk of await agent.stream(input as never, {
      ...config,
      streamMode: "updates",
    })) {
      for (const [node, update] of Object.entries(chunk)) {
        const { messages } = update as { messages?: readonly BaseMessage[] };
        if (node.startsWith("offload.")) hooks.push(...(messages ?? []));
        else nodes.push(`${node} ${messages?.map((message) => idOf(message)).join(", ")}`);
      }
    }
  }
  return { nodes, hooks, shown: model.requests.at(-1) ?? [] };
}

const nodeOf = (update: string): string | undefined => update.split(" ")[0];

function idOf(message: BaseMessage): string {
  return ToolMessage.isInstance(message) ? `tool ${message.tool_call_id}` : message.type;
}

describe.each(["v1", "v2"] as const)("R10: the updates of an agent of version %s", (version) => {
  it.each(Object.entries(runs))("are those without the middleware %s", async (_name, run) => {
    const events: OffloadEvent[] = [];
    const onEvent = (event: OffloadEvent): unknown => events.push(event);
    const plain = await streamed(run, version, []);
    const { nodes, hooks, shown } = await streamed(run, version, [
      offloadMiddleware({ store: memoryStore(), onEvent, ...run.options }),
    ]);
    // Calls of one message end in any order.
    expect(nodes.toSorted()).toEqual(plain.nodes.toSorted());
    expect(nodes.map(nodeOf)).toEqual(plain.nodes.map(nodeOf));
    expect(hooks).toEqual([]);
    // What has left stays away: the state has it.
    const batches = aged(events);
    expect(batches).toHaveLength(run.options?.plugins ? 1 : 0);
    expect(idsShown(shown)).toEqual(batches[0]?.artifactIds ?? []);
    const offloaded = events.filter(({ type }) => type === "offloaded");
    expect(offloaded.length + batches.length).toBeGreaterThan(0);
  });
});
