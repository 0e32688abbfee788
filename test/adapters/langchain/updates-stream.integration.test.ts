import { type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import { type AgentMiddleware, createAgent, createMiddleware, providerStrategy } from "langchain";
import { describe, expect, it } from "vitest";
import * as z from "zod";

import {
  offloadMiddleware,
  type OffloadMiddlewareOptions,
} from "../../../src/adapters/langchain/offload-middleware.js";
import type { OffloadEvent } from "../../../src/events.js";
import { memoryStore } from "../../../src/store/memory.js";
import { scriptedModel, type ScriptedTurn } from "../../../src/testing/scripted-model.js";
import { rowsTool, toolMessages } from "../large-outputs.js";
import { aged, idsShown, pageOf, readPage, soon } from "./aging/rig.js";

const both: ScriptedTurn = {
  toolCalls: ["Rome", "Oslo"].map((only) => ({ name: "list_rows", args: { only }, id: only })),
};

/** Text, and JSON of a structured response. */
const DONE = '{"total":7}';

/** Reads so many pages, and is done when it is asked for more. */
function reading(count: number): ScriptedTurn[] {
  return Array.from({ length: count }, (_, number) => (messages) => {
    const isMore = messages.filter(({ type }) => type === "human").length > 1;
    if (isMore) return DONE;
    return { toolCalls: [{ name: "read_page", args: { number }, id: `page_${number}` }] };
  });
}

/** Goes on with the model once, when the agent has answered. */
function jumping(): AgentMiddleware {
  let jumps = 0;
  return createMiddleware({
    name: "jumping",
    afterAgent: {
      canJumpTo: ["model"],
      hook: () => {
        jumps += 1;
        if (jumps > 1) return undefined;
        return { jumpTo: "model", messages: [new HumanMessage(pageOf(8) + pageOf(9))] };
      },
    },
  });
}

interface Run {
  readonly version: "v1" | "v2";
  readonly turns: readonly ScriptedTurn[];
  readonly options?: OffloadMiddlewareOptions;
  readonly isJumping?: boolean;
  readonly isStructured?: boolean;
}

/** The updates of two runs on a thread: what its nodes write, and messages that our hooks do; and what the model was shown last. */
async function streamed(
  { version, turns, options, isJumping = false, isStructured = false }: Run,
  isOffloading: boolean,
) {
  const model = scriptedModel(turns);
  const events: OffloadEvent[] = [];
  const onEvent = (event: OffloadEvent): unknown => events.push(event);
  const agent = createAgent({
    model,
    tools: [rowsTool(), readPage],
    middleware: [
      ...(isOffloading ? [offloadMiddleware({ store: memoryStore(), onEvent, ...options })] : []),
      ...(isJumping ? [jumping()] : []),
    ] as never,
    checkpointer: new MemorySaver(),
    version,
    ...(isStructured && {
      responseFormat: providerStrategy(z.object({ total: z.number() })) as never,
    }),
  });
  const config = { configurable: { thread_id: "one" }, recursionLimit: 100 };
  const nodes: string[] = [];
  const hooks: unknown[] = [];
  for (const text of ["Read.", "Read on."]) {
    const stream = await agent.stream(
      { messages: [new HumanMessage(text)] },
      { ...config, streamMode: "updates" },
    );
    for await (const chunk of stream) {
      for (const [node, update] of Object.entries(chunk)) {
        const { messages } = update as { messages?: readonly BaseMessage[] };
        if (node.startsWith("offload.")) hooks.push(...(messages ?? []));
        else nodes.push(`${node} ${messages?.map((message) => idOf(message)).join(", ")}`);
      }
    }
  }
  return { nodes, hooks, events, shown: model.requests.at(-1) ?? [] };
}

function idOf(message: BaseMessage): string {
  return ToolMessage.isInstance(message) ? `tool ${message.tool_call_id}` : message.type;
}

const runs: Record<string, Omit<Run, "version">> = {
  "where two outputs of one message are offloaded": { turns: [both] },
  "where results age": { turns: reading(8), options: { aging: soon } },
  "where aged results are replaced": {
    turns: reading(8),
    options: { aging: { ...soon, mode: "replace" } },
  },
  "where results age in a call that a hook jumped to": {
    turns: reading(5),
    options: { aging: { ...soon, trigger: { tokens: 4_000 } } },
    isJumping: true,
  },
  "where results age in such a call that gives a structured response": {
    turns: [...reading(5), DONE],
    options: { aging: { ...soon, trigger: { tokens: 4_000 } } },
    isJumping: true,
    isStructured: true,
  },
  "of an agent with a session of its own": { turns: [both], options: { session: () => "mine" } },
};

describe.each(["v1", "v2"] as const)("the updates of an agent of version %s", (version) => {
  it.each(Object.entries(runs))("are those without the middleware %s", async (_name, run) => {
    const plain = await streamed({ ...run, version }, false);
    const own = await streamed({ ...run, version }, true);
    expect(own.nodes).toEqual(plain.nodes);
    expect(own.hooks).toEqual([]);
    if (run.options?.aging === undefined) {
      expect(toolMessages(own.shown)[0]?.text).toContain('{"offloaded":true');
      return;
    }
    // What leaves stays away: the state has it.
    expect(aged(own.events)).toHaveLength(1);
    expect(idsShown(own.shown)).toEqual(aged(own.events)[0]?.artifactIds);
    expect(idsShown(own.shown).length).toBeGreaterThan(1);
  });
});
