/**
 * Asks two questions in one thread: on the development server whose address is given, or else of the
 * graph itself, with a checkpointer in the server's place.
 */
import { ok, strictEqual } from "node:assert";
import { readFileSync } from "node:fs";

import { MemorySaver } from "@langchain/langgraph";
import { Client } from "@langchain/langgraph-sdk";

import { builder, tickets } from "./agent.js";

/** A message as both give it, as far as it is looked at here. */
interface Message {
  readonly type: string;
  readonly content: unknown;
}
type Ask = (content: string) => Promise<readonly Message[]>;

const settings = JSON.parse(readFileSync(new URL("langgraph.json", import.meta.url), "utf8"));
strictEqual(settings.graphs.agent, "./agent.ts:graph");

async function onServer(apiUrl: string): Promise<Ask> {
  const client = new Client({ apiUrl });
  const { thread_id } = await client.threads.create();
  return async (content) => {
    const input = { messages: [{ role: "user", content }] };
    const values = await client.runs.wait(thread_id, "agent", { input });
    return Object(values).messages;
  };
}

function inProcess(): Ask {
  const graph = builder.compile({ checkpointer: new MemorySaver() });
  const config = { configurable: { thread_id: crypto.randomUUID() } };
  return async (content) =>
    (await graph.invoke({ messages: [{ role: "user", content }] }, config)).messages;
}

const [address] = process.argv.slice(2);
const ask = address === undefined ? inProcess() : await onServer(address);
const count = (state: string): number => tickets.filter((ticket) => ticket.state === state).length;

const first = await ask("How many tickets are open?");
strictEqual(first.at(-1)?.content, `${count("open")} tickets are open.`);

const messages = await ask("And how many are closed?");
strictEqual(messages.at(-1)?.content, `${count("closed")} tickets are closed.`);

for (const { type, content } of messages)
  console.log(`${type.padEnd(6)} ${String(content).slice(0, 200)}`);
const descriptor = messages.find(({ type }) => type === "tool");
strictEqual(JSON.parse(String(descriptor?.content)).offloaded, true);
const all = JSON.stringify(tickets).length;
ok(messages.every(({ content }) => String(content).length < all / 10));
