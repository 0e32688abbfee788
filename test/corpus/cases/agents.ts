import { references } from "../../../src/adapters/langchain/references/index.js";
import {
  humanMessages,
  offloadHumanMessages,
} from "../../../src/adapters/langchain/human-messages/index.js";
import { HumanMessage } from "@langchain/core/messages";
import { MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { createAgent, tool } from "langchain";

import { outputsOf } from "../data.js";
import { offloadMiddleware, scriptedModel } from "../entries.js";
import type { Case } from "../pins.js";
import { calls, question, thread, told } from "../surfaces.js";

const log = outputsOf(100)["a log"] ?? "";
const human = { plugins: [references(), humanMessages({ threshold: { tokens: 1_000 } })] };
const long = `Why did it die?\n${log}\nWhich request was it?`;
const image = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };

/** Messages of the user, in a graph. */
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

const humans: readonly Case[] = Object.entries(HUMANS).map(([name, messages]) => ({
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
}));

const channels: Case = {
  name: "an agent: what its custom stream and its state hold",
  run: async (rig) => {
    const offloader = rig.offloader();
    const middleware = [offloadMiddleware({ offloader })];
    const listLog = tool(() => log, { name: "list_log", description: "The log." });
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
};

export const agents: readonly Case[] = [...humans, channels];
