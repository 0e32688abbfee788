/** Runs the server's graph without the server: the one that `langgraph.json` names. */
import { ok, strictEqual } from "node:assert";
import { readFileSync } from "node:fs";

import { graph, tickets } from "./agent.js";

const settings = JSON.parse(readFileSync(new URL("langgraph.json", import.meta.url), "utf8"));
strictEqual(settings.graphs.agent, "./agent.ts:graph");

const { messages } = await graph.invoke(
  { messages: [{ role: "user", content: "How many tickets are open?" }] },
  { configurable: { thread_id: crypto.randomUUID() } },
);
for (const message of messages)
  console.log(`${message.type.padEnd(6)} ${message.text.slice(0, 200)}`);

const open = tickets.filter(({ state }) => state === "open").length;
strictEqual(messages.at(-1)?.text, `${open} tickets are open.`);
ok(messages.every(({ text }) => text.length < JSON.stringify(tickets).length / 10));
