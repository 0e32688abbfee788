import { HumanMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import { type AgentMiddleware, createAgent, createMiddleware, tool } from "langchain";
import * as z from "zod";

import { offloadMiddleware } from "../../../../src/adapters/langchain/offload-middleware.js";
import { code as sandbox } from "../../../../src/plugins/code/code.js";
import type { CodeOptions } from "../../../../src/plugins/code/options.js";
import type { OffloadEvent } from "../../../../src/core/types/events.js";
import type { OffloadOptions } from "../../../../src/core/options/options.js";
import { memoryStore } from "../../../../src/core/store/memory.js";
import { type ScriptedModel, scriptedModel } from "../../../../src/testing/scripted-model.js";
import { playedEngine } from "./played-engine.js";

/** Everything that tools were called with, in order. */
interface AccessLog {
  readonly found: string[];
  readonly deleted: string[];
}

/** A lookup, a lookup that is large, one that fails, and one that nobody may call without a person. */
function issueTools(accessLog: AccessLog): NonNullable<Parameters<typeof createAgent>[0]["tools"]> {
  return [
    tool(
      ({ query }: { query: string }) => {
        accessLog.found.push(query);
        return JSON.stringify([
          { id: `${query}-1`, open: true },
          { id: `${query}-2`, open: false },
        ]);
      },
      {
        name: "search_issues",
        description: "Searches issues. Twenty at most.",
        schema: z.object({ query: z.string(), limit: z.number().optional() }),
      },
    ),
    tool(
      ({ id }: { id: string }) => {
        accessLog.deleted.push(id);
        return `deleted ${id}`;
      },
      {
        name: "delete_issue",
        description: "Deletes an issue.",
        schema: z.object({ id: z.string() }),
      },
    ),
    tool(
      () => {
        throw new Error("the tracker is down");
      },
      {
        name: "broken",
        description: "Fails.",
        schema: z.object({}),
      },
    ),
  ];
}

interface RigOptions {
  readonly calls?: CodeOptions;
  readonly after?: readonly AgentMiddleware[];
  readonly before?: readonly AgentMiddleware[];
  readonly tools?: NonNullable<Parameters<typeof createAgent>[0]["tools"]>;
  readonly offload?: OffloadOptions;
  readonly killAfterMs?: number;
  readonly store?: NonNullable<OffloadOptions["store"]>;
  /** The code runs in this process. @defaultValue QuickJS */
  readonly engine?: "played" | "QuickJS";
}

/** An agent, and what can be seen of it. */
interface CodeRig {
  readonly accessLog: AccessLog;
  readonly events: readonly OffloadEvent[];
  readonly store: NonNullable<OffloadOptions["store"]>;
  readonly model: ScriptedModel;
  definitionOf(name: string): string | undefined;
  ask(): Promise<Answered>;
  /** What became of calls, as it was told. */
  told(): string[];
}

interface Answered {
  readonly messages: readonly BaseMessage[];
}

/** An agent whose model writes one piece of code, and says `Done.` after it. */
export function codeAgent(code: string | readonly string[], options: RigOptions = {}): CodeRig {
  const accessLog: AccessLog = { found: [], deleted: [] };
  const events: OffloadEvent[] = [];
  const definitions = new Map<string, string>();
  const store = options.store ?? memoryStore();
  const codes = typeof code === "string" ? [code] : code;
  const model: ScriptedModel = scriptedModel(
    codes.map((one) => ({ toolCalls: [{ name: "code_tool_output", args: { code: one } }] })),
  );
  const listed = ["search_issues", "delete_issue", "broken"];
  const calls = { tools: listed, interruptOn: {}, ...options.calls };
  const tools: Parameters<typeof createAgent>[0]["tools"] = [
    ...issueTools(accessLog),
    ...(options.tools ?? []),
  ];
  const engine =
    options.engine === "played" || options.killAfterMs !== undefined
      ? playedEngine(calls, options.killAfterMs)
      : sandbox(calls);
  const middleware: AgentMiddleware[] = [
    ...(options.before ?? []),
    offloadMiddleware({
      store,
      onEvent: (event) => events.push(event),
      ...options.offload,
      plugins: [engine, ...(options.offload?.plugins ?? [])],
      drillIn: { ...options.offload?.drillIn },
    }),
    ...(options.after ?? []),
    createMiddleware({
      name: "definitions",
      wrapModelCall: async (request, handler) => {
        for (const { name, description } of request.tools) {
          definitions.set(String(name), String(description));
        }
        return await handler(request);
      },
    }),
  ];
  const agent = createAgent({
    model,
    tools: tools ?? [],
    middleware,
    checkpointer: new MemorySaver(),
  });
  const config = { configurable: { thread_id: "thread" } };
  return {
    model,
    accessLog,
    events,
    store,
    definitionOf: (name) => definitions.get(name),
    ask: () => agent.invoke({ messages: [new HumanMessage("go")] }, config),
    told: () =>
      events.flatMap((event) =>
        event.type === "tool-called"
          ? [`${event.toolCallId} ${event.toolName} ${event.outcome}`]
          : [],
      ),
  };
}

/** Text of the answers to the code. */
export function answers(messages: readonly BaseMessage[]): string[] {
  return messages.filter((message) => ToolMessage.isInstance(message)).map(({ text }) => text);
}

/** What the agent asks a person now. */
export function questionsOf(result: object): unknown[] {
  const interrupts: unknown = Reflect.get(result, "__interrupt__");
  return Array.isArray(interrupts) ? interrupts.map(({ value }: { value: unknown }) => value) : [];
}
