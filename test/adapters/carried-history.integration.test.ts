import { type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { Command, getCurrentTaskInput, MemorySaver } from "@langchain/langgraph";
import { createAgent } from "langchain";
import { describe, expect, it } from "vitest";
import * as z from "zod";

import { offloadMiddleware } from "../../src/adapters/langchain/offload-middleware.js";
import { offloadNode } from "../../src/adapters/langchain/offload-node.js";
import { createOffloader } from "../../src/core/pipeline/create-offloader.js";
import { memoryStore } from "../../src/core/store/memory.js";
import { scriptedModel } from "../../src/testing/scripted-model.js";

const ROWS = JSON.stringify(Array.from({ length: 800 }, (_, id) => ({ id, city: "Rome" })));
const none = z.object({});
const rows = tool(() => ROWS, { name: "rows", description: "Rows.", schema: none });

/** Hands on with the whole conversation, as handoffs between agents do, and a large answer of its own. */
const handOff = tool(
  (_args, config) => {
    const { messages } = getCurrentTaskInput<{ messages: BaseMessage[] }>(config);
    const own = { name: "hand_off", tool_call_id: config.toolCall?.id ?? "" };
    return new Command({
      update: { messages: [...messages, new ToolMessage({ ...own, content: ROWS })] },
    });
  },
  { name: "hand_off", description: "Hands on.", schema: none },
);

/** The lengths of what tools said. */
function lengths(messages: readonly BaseMessage[] | undefined): number[] {
  return (messages ?? [])
    .filter((message) => ToolMessage.isInstance(message))
    .map(({ text }) => text.length);
}

describe("a command that carries the conversation along", () => {
  it("has its own output offloaded by the middleware, and none that a model has seen before", async () => {
    const call = (name: string) => ({ toolCalls: [{ name, args: {} }] });
    const model = scriptedModel([call("rows"), "Those are they.", call("hand_off"), "Done."]);
    const middleware = [offloadMiddleware({ store: memoryStore() })];
    const checkpointer = new MemorySaver();
    const agent = createAgent({ model, tools: [rows, handOff], checkpointer, middleware });
    const messages = [new HumanMessage("Go.")];
    await agent.invoke({ messages }, { configurable: { thread_id: "one", offload: false } });
    await agent.invoke({ messages }, { configurable: { thread_id: "one" } });
    const [seen, own = 0] = lengths(model.requests.at(-1));
    expect(seen).toBe(ROWS.length);
    expect(own).toBeLessThan(2_000);
  });
});

describe("a tool message that is written as a plain object", () => {
  const plain = (key: "role" | "type") => ({
    [key]: "tool",
    content: ROWS,
    name: "rows",
    tool_call_id: "call",
  });
  const update = { messages: [plain("role"), plain("type")], notes: [plain("type")] };

  it("is offloaded in what a node gives, and comes back as it is where it is small", async () => {
    const offloader = createOffloader({ store: memoryStore() });
    const node = offloadNode(() => update, { offloader });
    const { messages, notes } = Object(await node());
    expect(lengths(messages)).toHaveLength(2);
    expect(notes).toBe(update.notes);
    const small = { messages: [{ role: "tool", content: "two rows", tool_call_id: "call" }] };
    expect(await offloadNode(() => small, { offloader })()).toEqual(small);
    await offloader.close();
  });
});
