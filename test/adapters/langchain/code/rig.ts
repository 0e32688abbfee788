import type { DynamicStructuredTool } from "@langchain/core/tools";
import { type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import { type AgentMiddleware, createMiddleware } from "langchain";
import * as z from "zod";

import { memoryStore, type OffloadEvent, type OffloadOptions } from "../../../../src/index.js";
import { codePlugin } from "../../../../src/plugins/code/code.js";
import { startEngine } from "../../../../src/plugins/code/engine.js";
import {
  type CodeLimits,
  type CodeOptions,
  resolveCode,
} from "../../../../src/plugins/code/options.js";
import { agentOf, calling, thread, toolNamed } from "../../agents.js";

/** Everything that tools were called with, in order. */
interface AccessLog {
  readonly found: string[];
  readonly deleted: string[];
}

/** A tool that takes any arguments. */
export function toolThat(
  name: string,
  give: (args: never, config: never) => unknown,
  schema: z.ZodObject = z.object({}),
): DynamicStructuredTool {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what a tool gives is its own matter
  return toolNamed(name, (args, config) => give(args as never, config as never) as string, schema);
}

/** A lookup, one that nobody may call without a person, and one that fails. */
function issueTools(accessLog: AccessLog): readonly DynamicStructuredTool[] {
  const search = toolNamed(
    "search_issues",
    ({ query }: { query: string }) => {
      accessLog.found.push(query);
      return JSON.stringify([
        { id: `${query}-1`, open: true },
        { id: `${query}-2`, open: false },
      ]);
    },
    z.object({ query: z.string(), limit: z.number().optional() }),
  );
  const remove = ({ id }: { id: string }): string => {
    accessLog.deleted.push(id);
    return `deleted ${id}`;
  };
  const fail = (): never => {
    throw new Error("the tracker is down");
  };
  return [
    search,
    toolThat("delete_issue", remove, z.object({ id: z.string() })),
    toolThat("broken", fail),
  ];
}

interface RigOptions {
  readonly calls?: CodeOptions;
  readonly limits?: Partial<CodeLimits>;
  readonly after?: readonly AgentMiddleware[];
  readonly tools?: readonly unknown[];
  readonly offload?: OffloadOptions;
  readonly store?: NonNullable<OffloadOptions["store"]>;
}

/** An agent, and what can be seen of it. */
interface CodeRig {
  readonly accessLog: AccessLog;
  readonly events: readonly OffloadEvent[];
  readonly store: NonNullable<OffloadOptions["store"]>;
  definitionOf(name: string): string | undefined;
  ask(): Promise<{ readonly messages: readonly BaseMessage[] }>;
  /** Text of the answer to the code. */
  answer(): Promise<string>;
  /** What became of calls, as it was told. */
  told(): string[];
}

/** An agent whose model writes one piece of code, and says `Done.` after it. */
export function codeAgent(code: string, options: RigOptions = {}): CodeRig {
  const accessLog: AccessLog = { found: [], deleted: [] };
  const events: OffloadEvent[] = [];
  const definitions = new Map<string, string>();
  const { store = memoryStore(), after = [], offload, tools = [], limits } = options;
  const listed = ["search_issues", "delete_issue", "broken"];
  const settings = {
    ...resolveCode({ tools: listed, interruptOn: {}, ...options.calls }),
    ...limits,
  };
  const last = createMiddleware({
    name: "definitions",
    wrapModelCall: async (request, handler) => {
      for (const { name, description } of request.tools)
        definitions.set(String(name), String(description));
      return await handler(request);
    },
  });
  const agent = agentOf(
    [calling("code_tool_output", { code })],
    [...issueTools(accessLog), ...tools],
    {
      store,
      onEvent: (event) => events.push(event),
      ...offload,
      plugins: [codePlugin(settings, startEngine), ...(offload?.plugins ?? [])],
    },
    { after: [...after, last], checkpointer: new MemorySaver() },
  );
  const ask = () => agent.invoke({ messages: [new HumanMessage("go")] }, thread("thread"));
  return {
    accessLog,
    events,
    store,
    definitionOf: (name) => definitions.get(name),
    ask,
    answer: async () => answers((await ask()).messages).join(),
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
