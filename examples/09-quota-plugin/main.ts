/** Two teams' tools share an agent, and each team has a quota of stored bytes. */
import { match, ok, strictEqual } from "node:assert";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { createAgent, tool } from "langchain";
import { fileStore, offloadMiddleware } from "langchain-offload";
import { scriptedModel } from "langchain-offload/testing";
import * as z from "zod";

import { quota } from "./quota.js";

const trips = Array.from({ length: 2000 }, (_, id) => ({ id, line: `S${id % 9}` }));
const listTrips = tool(({ day }) => trips.map((trip) => ({ day, ...trip })), {
  name: "list_trips",
  description: "All trips of a day.",
  schema: z.object({ day: z.string() }),
  metadata: { team: "transport" },
});
const listStops = tool(() => trips.map(({ id }) => ({ stop: `Stop ${id}` })), {
  name: "list_stops",
  description: "All stops.",
  schema: z.object({}),
  metadata: { team: "map" },
});

const model = scriptedModel([
  { toolCalls: [{ name: "list_trips", args: { day: "Monday" } }] },
  {
    toolCalls: [
      { name: "list_trips", args: { day: "Tuesday" } },
      { name: "list_stops", args: {} },
    ],
  },
  { toolCalls: [{ name: "quota_tool_output", args: {} }] },
  "Monday is stored, Tuesday did not fit.",
]);

const directory = mkdtempSync(join(tmpdir(), "quota-"));
/** Each agent has an offloader of its own on the same folder, as after a restart. */
async function ask(): Promise<readonly string[]> {
  const plugins = [
    quota({
      teams: { transport: 150_000, map: 150_000 },
      teamOf: ({ metadata }) => metadata?.["team"] as string | undefined,
    }),
  ];
  const middleware = [offloadMiddleware({ store: fileStore({ directory }), plugins })];
  const agent = createAgent({ model, tools: [listTrips, listStops], middleware });
  const { messages } = await agent.invoke({ messages: "What runs on Monday and on Tuesday?" });
  return messages.filter(({ type }) => type === "tool").map(({ text }) => text);
}

const [monday = "", tuesday = "", stops = "", left = ""] = await ask();
console.log(`${tuesday}\n\n${left}`);
match(monday, /It counts for the quota of team transport/);
match(tuesday, /Team transport has \d+ of its 150000 bytes left, .+ not kept/);
match(stops, /It counts for the quota of team map/);
strictEqual(left.split("\n").length, 2);
const [again = ""] = await ask();
ok(again.includes("not kept"));
rmSync(directory, { recursive: true, force: true });
