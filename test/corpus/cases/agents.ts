import { references } from "../../../src/adapters/langchain/references/index.js";
import {
  humanMessages,
  offloadHumanMessages,
} from "../../../src/adapters/langchain/human-messages/index.js";
import { HumanMessage } from "@langchain/core/messages";
import type { StructuredToolInterface } from "@langchain/core/tools";
import { MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { createAgent, tool } from "langchain";
import * as z from "zod";

import { outputsOf, words } from "../data.js";
import {
  offloadMiddleware,
  type OffloadOptions,
  scriptedModel,
  type ScriptedTurn,
} from "../entries.js";
import type { Case } from "../pins.js";
import { calls, drill, idIn, question, SURFACES, thread, told } from "../surfaces.js";

const log = outputsOf(100)["a log"] ?? "";
const human = { plugins: [references(), humanMessages({ threshold: { tokens: 1_000 } })] };
const long = `Why did it die?\n${outputsOf(100)["a log"]}\nWhich request was it?`;
const image = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };

/** A tool that gives what it is asked for. */
const texts = tool(({ tokens, mark }: { tokens: number; mark: string }) => words(tokens, mark), {
  name: "texts",
  description: "Texts.",
  schema: z.object({ tokens: z.number(), mark: z.string() }),
}) as unknown as StructuredToolInterface;
const listLog = tool(() => log, {
  name: "list_log",
  description: "The log.",
  schema: z.object({}),
}) as unknown as StructuredToolInterface;

const turn = (...sizes: readonly number[]): ScriptedTurn =>
  calls(...sizes.map((tokens, index) => ["texts", { tokens, mark: `${index}` }] as const));

/** Turns' budgets. */
const BUDGETS: Readonly<Record<string, OffloadOptions>> = {
  "a turn's budget": { turnBudget: { tokens: 1_000 } },
  "a turn's budget, cut in place": { turnBudget: { tokens: 300 }, mode: "truncate" },
};

const budgets: readonly Case[] = Object.entries(BUDGETS).map(([name, options]) => ({
  name: `an agent: ${name}`,
  run: async (rig) => {
    const { "an agent": make } = SURFACES;
    const run = make?.(rig.offloader(options), [texts], [turn(700, 600, 20, 2_000)]);
    return await rig.pinned(told((await run?.invoke(question, thread))?.messages ?? []));
  },
}));

/** Messages of the user, before an agent and in a graph. */
const HUMANS: Readonly<Record<string, readonly HumanMessage[]>> = {
  "one with an image, a name and metadata": [
    new HumanMessage({
      id: "m-1",
      name: "ada",
      content: [{ type: "text", text: long }, image, { type: "text", text: "Thanks." }],
      response_metadata: { from: "web" },
    }),
  ],
  "several, two of them equal": [
    new HumanMessage({ id: "m-1", content: long }),
    new HumanMessage({ id: "m-2", content: "A word." }),
    new HumanMessage({ id: "m-3", content: long }),
  ],
};

const humans: readonly Case[] = Object.entries(HUMANS).flatMap(([name, messages]) => [
  {
    name: `a user's message, before an agent: ${name}`,
    run: async (rig) => {
      const offloader = rig.offloader(human);
      const model = scriptedModel([drill("grep_tool_output", { pattern: "request 77 " })]);
      const agent = createAgent({
        model,
        tools: [],
        middleware: [offloadMiddleware({ offloader })],
        checkpointer: new MemorySaver(),
      });
      const result = await agent.invoke({ messages: [...messages] }, thread);
      await offloader.close();
      return await rig.pinned({
        messages: told(result.messages),
        seen: told(model.requests[0] ?? []),
      });
    },
  },
  {
    name: `a user's message, in a graph: ${name}`,
    run: async (rig) => {
      const offloader = rig.offloader(human);
      const node = offloadHumanMessages(offloader);
      const graph = new StateGraph(MessagesAnnotation)
        .addNode("store", node as never)
        .addEdge(START, "store")
        .compile();
      const result = await graph.invoke({ messages: [...messages] }, thread);
      await offloader.close();
      return await rig.pinned(told(result.messages));
    },
  },
]);

const others: readonly Case[] = [
  {
    name: "an agent: a later turn of the thread, and another thread",
    run: async (rig) => {
      const offloader = rig.offloader({ threshold: { tokens: 500 } });
      const checkpointer = new MemorySaver();
      const ask = async (turns: readonly ScriptedTurn[], thread_id: string) => {
        const middleware = [offloadMiddleware({ offloader })];
        const agent = createAgent({
          model: scriptedModel(turns),
          tools: [listLog],
          middleware,
          checkpointer,
        });
        return (await agent.invoke(question as never, { configurable: { thread_id } })).messages;
      };
      const first = await ask([calls("list_log")], "thread-1");
      const args = { id: idIn(first), pattern: "request 7 " };
      const later = await ask([calls(["grep_tool_output", args])], "thread-1");
      const foreign = await ask([calls(["grep_tool_output", args])], "thread-2");
      await offloader.close();
      return await rig.pinned({ first: told(first), later: told(later), foreign: told(foreign) });
    },
  },
  {
    name: "an agent: what its custom stream and its state hold",
    run: async (rig) => {
      const offloader = rig.offloader();
      const middleware = [offloadMiddleware({ offloader })];
      const agent = createAgent({
        model: scriptedModel([calls("list_log")]),
        tools: [listLog],
        middleware,
        checkpointer: new MemorySaver(),
      });
      const parts: unknown[] = [];
      for await (const part of await agent.stream(question as never, {
        ...thread,
        streamMode: "custom",
      }))
        parts.push(part);
      const state = (await agent.graph.getState(thread)).values as Record<string, unknown>;
      await offloader.close();
      const { messages: _, ...channels } = state;
      return await rig.pinned({ parts, channels });
    },
  },
];

export const agents: readonly Case[] = [...budgets, ...humans, ...others];
