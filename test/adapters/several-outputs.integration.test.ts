import { HumanMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import { createAgent, tool } from "langchain";
import { afterAll, describe, expect, it } from "vitest";

import { offloadMiddleware } from "../../src/adapters/langchain/offload-middleware.js";
import type { OffloadEvent } from "../../src/core/types/events.js";
import { createOffloader } from "../../src/core/pipeline/create-offloader.js";
import { lro } from "../../src/presets/lro/lro.js";
import { mcpagent } from "../../src/presets/mcpagent/mcpagent.js";
import { memoryStore } from "../../src/core/store/memory.js";
import { scriptedModel, type ScriptedTurn } from "../../src/testing/scripted-model.js";
import { artifactsOf } from "./large-outputs.js";

const USERS = Array.from({ length: 400 }, (_, id) => ({
  id,
  name: `user ${id}`,
  city: id % 4 === 0 ? "Rome" : "Oslo",
}));
const ORDERS = Array.from({ length: 900 }, (_, number) => ({
  number,
  user_id: number % 450,
  amount: number,
}));
/** What users of Rome have ordered. */
const ROME = ORDERS.filter(({ user_id }) => USERS[user_id]?.city === "Rome")
  .reduce((sum, { amount }) => sum + amount, 0)
  .toString();

const listUsers = tool(() => JSON.stringify(USERS), { name: "list_users", description: "Users." });
const listOrders = tool(() => JSON.stringify(ORDERS), {
  name: "list_orders",
  description: "Orders.",
});
const go = { messages: [new HumanMessage("How much was ordered in Rome?")] };
const FILTER =
  '[inputs | select(.city == "Rome").id] as $rome | [$orders[] | select(.user_id | IN($rome[])).amount] | add';
const QUERY = "SELECT sum(amount) FROM output JOIN orders ON user_id = id WHERE city = 'Rome'";

const events: OffloadEvent[] = [];
const offloader = createOffloader({
  store: memoryStore(),
  drillIn: { sql: {}, timeoutMs: 25_000 },
  onEvent: (event) => events.push(event),
});
afterAll(() => offloader.close());

const callBoth: ScriptedTurn = {
  toolCalls: [
    { name: "list_users", args: {} },
    { name: "list_orders", args: {} },
  ],
};

/** Joins the two outputs of the conversation with one tool, as their descriptors name them. */
function join(name: string, what: object): ScriptedTurn {
  return (messages) => {
    const paths = artifactsOf(messages).map(({ fileName, filePath }) => filePath ?? fileName);
    return { toolCalls: [{ name, args: { id: paths[0], with: { orders: paths[1] }, ...what } }] };
  };
}

const TURNS: [string, ScriptedTurn][] = [
  ["jq_tool_output", join("jq_tool_output", { filter: FILTER })],
  ["sql_tool_output", join("sql_tool_output", { query: QUERY })],
];

describe.each(TURNS)("an agent joins two offloaded outputs with %s", (name, turn) => {
  it("in createAgent, and the event names both", async () => {
    events.length = 0;
    const agent = createAgent({
      model: scriptedModel([callBoth, turn]),
      tools: [listUsers, listOrders],
      middleware: [offloadMiddleware({ offloader })],
      checkpointer: new MemorySaver(),
    });
    const thread = { configurable: { thread_id: `agent ${name}` } };
    const { messages } = await agent.invoke(go, thread);
    const [users, orders] = artifactsOf(messages);
    const answer = messages.findLast((message) => message.type === "tool");
    expect(answer?.text.split("\n")).toContain(ROME);
    expect(answer?.text).toMatch(/\n1 (?:result|row)\.$/);
    expect(events.filter(({ type }) => type === "drilled-in")).toMatchObject([
      { tool: name, artifactId: users?.id, otherArtifactIds: [orders?.id], failed: false },
    ]);
  });
});

describe("the tools of presets", () => {
  it.each([
    ["lro", { preset: lro() }, "jq_tool_output", ["id", "filter"], FILTER],
    [
      "mcpagent",
      { preset: mcpagent() },
      "query_large_output",
      ["filename", "query"],
      FILTER.replace("inputs", ".[]"),
    ],
  ] as const)("%s: with is taken too", async (_, preset, name, [id, filter], text) => {
    const own = createOffloader({
      ...preset,
      store: memoryStore(),
      threshold: { tokens: 1000 },
    });
    const agent = createAgent({
      model: scriptedModel([
        callBoth,
        (messages) => {
          const [users, orders] = artifactsOf(messages).map(({ fileName }) => fileName);
          const args = { [id]: users, [filter]: text, with: { orders } };
          return { toolCalls: [{ name, args }] };
        },
      ]),
      tools: [listUsers, listOrders],
      middleware: [offloadMiddleware({ offloader: own })],
      checkpointer: new MemorySaver(),
    });
    const { messages } = await agent.invoke(go, { configurable: { thread_id: "t" } });
    const answer = messages.findLast((message) => message.type === "tool");
    expect(answer?.text.split("\n")).toContain(ROME);
    await own.close();
  });
});
