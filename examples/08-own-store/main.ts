/** An agent keeps its outputs in a store of our own, and another one on the same file reads them. */
import { ok, strictEqual } from "node:assert";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { MemorySaver } from "@langchain/langgraph";
import { createAgent, tool } from "langchain";
import { offloadMiddleware } from "langchain-offload";
import { scriptedModel } from "langchain-offload/testing";

import { sqliteStore } from "./sqlite-store.js";

const folder = mkdtempSync(join(tmpdir(), "own-store-"));
const file = join(folder, "outputs.db");
const trips = Array.from({ length: 4000 }, (_, id) => ({
  id,
  line: `S${id % 9}`,
  late: id % 8 === 0,
}));
const listTrips = tool(() => trips, { name: "list_trips", description: "All trips of today." });

const model = scriptedModel([
  (messages) => {
    const seen = messages.find(({ type }) => type === "tool");
    if (seen === undefined) return { toolCalls: [{ name: "list_trips", args: {} }] };
    const { file_path: id } = JSON.parse(seen.text);
    const args = { id, filter: "map(select(.late)) | length", slurp: true };
    return { toolCalls: [{ name: "jq_tool_output", args }] };
  },
  (messages) => `${messages.at(-1)?.text.split("\n")[0]}`,
]);

/** Each agent opens the file anew, as another process would. */
const checkpointer = new MemorySaver();
const agentOnFile = () =>
  createAgent({
    model,
    tools: [listTrips],
    middleware: [offloadMiddleware({ store: sqliteStore(file) })],
    checkpointer,
  });

const thread = { configurable: { thread_id: "commuter" } };
const first = await agentOnFile().invoke({ messages: "List today's trips." }, thread);
ok(first.messages.every(({ text }) => text.length < 3000));
const second = await agentOnFile().invoke({ messages: "How many were late?" }, thread);
const answer = second.messages.at(-1)?.text;
console.log(`${answer} of ${trips.length} trips were late.`);
strictEqual(answer, String(trips.filter(({ late }) => late).length));
rmSync(folder, { recursive: true, force: true });
