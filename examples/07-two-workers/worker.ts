/** One worker: an agent whose thread and stored outputs are in PostgreSQL. Says its answer and ends. */
import { HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";
import { createAgent } from "langchain";
import { createOffloader, offloadMiddleware } from "langchain-offload";
import { postgresStore } from "langchain-offload/store/postgres";
import { scriptedModel } from "langchain-offload/testing";
import pg from "pg";

import { orders } from "./orders.js";

const [question = ""] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString: process.env["DATABASE_URL"], max: 1 });
const checkpointer = new PostgresSaver(pool, undefined, { schema: "two_workers" });
await checkpointer.setup();
const offloader = createOffloader({
  store: postgresStore({ pool, table: "two_workers.offloaded_output" }),
});

const listOrders = tool(() => JSON.stringify(orders), {
  name: "list_orders",
  description: "All orders of the year.",
});

const model = scriptedModel([
  (messages) => {
    const stored = messages.find(({ type }) => type === "tool")?.text;
    if (stored === undefined) return { toolCalls: [{ name: "list_orders", args: {} }] };
    const { file_path: id } = JSON.parse(stored) as { file_path: string };
    const filter = "group_by(.country) | map({(.[0].country): (map(.cents) | add)}) | add";
    return { toolCalls: [{ name: "jq_tool_output", args: { id, filter, slurp: true } }] };
  },
  (messages) => {
    const text = messages.at(-1)?.text ?? "";
    return text.startsWith('{"offloaded"') ? "I have the orders." : (text.split("\n")[0] ?? "");
  },
]);

const agent = createAgent({
  model,
  tools: [listOrders],
  middleware: [offloadMiddleware({ offloader })],
  checkpointer,
});
const thread = { configurable: { thread_id: "year-2026" } };
const { messages } = await agent.invoke({ messages: [new HumanMessage(question)] }, thread);
console.log(messages.at(-1)?.text);
await offloader.close();
await pool.end();
