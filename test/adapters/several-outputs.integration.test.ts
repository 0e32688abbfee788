import { HumanMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";

import { createOffloader, memoryStore, type OffloadEvent } from "../../src/index.js";
import { lro } from "../../src/presets/lro/lro.js";
import { mcpagent } from "../../src/presets/mcpagent/mcpagent.js";
import type { ScriptedTurn } from "../../src/testing/scripted-model.js";
import { artifactsOf } from "./large-outputs.js";
import { agentOf, calling, toolNamed } from "./agents.js";
import { sharedOffloader } from "../opened-offloaders.js";

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

const listUsers = toolNamed("list_users", () => JSON.stringify(USERS));
const listOrders = toolNamed("list_orders", () => JSON.stringify(ORDERS));
const go = { messages: [new HumanMessage("How much was ordered in Rome?")] };
const FILTER =
  '[inputs | select(.city == "Rome").id] as $rome | [$orders[] | select(.user_id | IN($rome[])).amount] | add';
const QUERY = "SELECT sum(amount) FROM output JOIN orders ON user_id = id WHERE city = 'Rome'";

const events: OffloadEvent[] = [];
const offloader = sharedOffloader({
  drillIn: { sql: {}, timeoutMs: 25_000 },
  onEvent: (event) => events.push(event),
});

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
    return calling(name, { id: paths[0], with: { orders: paths[1] }, ...what });
  };
}

const TURNS: [string, ScriptedTurn][] = [
  ["jq_tool_output", join("jq_tool_output", { filter: FILTER })],
  ["sql_tool_output", join("sql_tool_output", { query: QUERY })],
];

describe.each(TURNS)("an agent joins two offloaded outputs with %s", (name, turn) => {
  it("in createAgent, and the event names both", async () => {
    events.length = 0;
    const agent = agentOf(
      [callBoth, turn],
      [listUsers, listOrders],
      { offloader },
      { checkpointer: new MemorySaver() },
    );
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

it.each([
  ["lro", { preset: lro() }, "jq_tool_output", ["id", "filter"], FILTER],
  [
    "mcpagent",
    { preset: mcpagent() },
    "query_large_output",
    ["filename", "query"],
    FILTER.replace("inputs", ".[]"),
  ],
] as const)(
  "the tools of presets %s: with is taken too",
  async (_, preset, name, [id, filter], text) => {
    const own = createOffloader({
      ...preset,
      store: memoryStore(),
      threshold: { tokens: 1000 },
    });
    const agent = agentOf(
      [
        callBoth,
        (messages) => {
          const [users, orders] = artifactsOf(messages).map(({ fileName }) => fileName);
          const args = { [id]: users, [filter]: text, with: { orders } };
          return calling(name, args);
        },
      ],
      [listUsers, listOrders],
      { offloader: own },
      { checkpointer: new MemorySaver() },
    );
    const { messages } = await agent.invoke(go, { configurable: { thread_id: "t" } });
    const answer = messages.findLast((message) => message.type === "tool");
    expect(answer?.text.split("\n")).toContain(ROME);
    await own.close();
  },
);
