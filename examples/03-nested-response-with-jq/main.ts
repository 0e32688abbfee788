/**
 * An API answers with records deep inside an envelope. The records are stored one per line, the
 * envelope stays in the descriptor, and the agent aggregates with jq.
 */
import { strictEqual } from "node:assert";

import { createAgent, tool } from "langchain";
import { offloadMiddleware } from "langchain-offload";
import { scriptedModel } from "langchain-offload/testing";

const orders = Array.from({ length: 4000 }, (_, index) => ({
  id: `ord_${index}`,
  customer: { id: `cus_${index % 250}`, country: ["DE", "FR", "PL", "JP"][index % 4] },
  lines: [
    { sku: `sku-${index % 37}`, quantity: (index % 5) + 1, price_cents: 199 + (index % 80) * 25 },
  ],
}));
const response = {
  status: "ok",
  data: { total: orders.length, orders, next_cursor: null },
  took_ms: 31,
};

const listOrders = tool(() => response, {
  name: "list_orders",
  description: "All orders of this year.",
});

const model = scriptedModel([
  { toolCalls: [{ name: "list_orders", args: {} }] },
  (messages) => ({
    toolCalls: [
      {
        name: "jq_tool_output",
        args: {
          id: JSON.parse(messages.at(-1)?.text ?? "{}").file_path,
          filter:
            'map(select(.customer.country == "JP") | .lines[] | .quantity * .price_cents) | add',
          slurp: true,
        },
      },
    ],
  }),
  (messages) => `Orders from Japan: ${/^\d+$/m.exec(messages.at(-1)?.text ?? "")?.[0]} cents.`,
]);

const agent = createAgent({ model, tools: [listOrders], middleware: [offloadMiddleware()] });
const { messages } = await agent.invoke({
  messages: [{ role: "user", content: "What are all orders from Japan worth?" }],
});

for (const message of messages)
  console.log(`${message.type.padEnd(6)} ${message.text.slice(0, 1200)}`);
const expected = orders
  .filter((order) => order.customer.country === "JP")
  .flatMap((order) => order.lines)
  .reduce((sum, line) => sum + line.quantity * line.price_cents, 0);
strictEqual(messages.at(-1)?.text, `Orders from Japan: ${expected} cents.`);
