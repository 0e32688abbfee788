import { HumanMessage, SystemMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import { summarizationMiddleware } from "langchain";
import { expect, it } from "vitest";
import * as z from "zod";

import type { OffloadOptions } from "../../src/index.js";
import { lro } from "../../src/presets/lro/lro.js";
import { mcpagent } from "../../src/presets/mcpagent/mcpagent.js";
import { scriptedModel, type ScriptedTurn } from "../../src/testing/scripted-model.js";
import { openedOffloaders } from "../opened-offloaders.js";
import { referring } from "../referring.js";
import { agentOf, calling, thread, toolNamed } from "./agents.js";
import { artifactsOf, question, rows, rowsTool, toolMessages } from "./large-outputs.js";

const opened = openedOffloaders();

it.each(["outside", "inside"])(
  "what a summary keeps of a descriptor finds the artifact, offloading %s of it",
  async (order) => {
    const summarizer = scriptedModel([
      (messages) =>
        `Stored at ${/file_path[\\":]+([^\s"\\]+)/.exec(messages.at(-1)?.text ?? "")?.[1]}.`,
    ]);
    const summary = summarizationMiddleware({
      model: summarizer,
      trigger: { messages: 4 },
      keep: { messages: 1 },
    } as never);
    const turn: ScriptedTurn = (messages) => {
      const told = messages.find(({ text }) => text.includes("Stored at "))?.text;
      if (told === undefined) return calling("list_rows");
      const id = /Stored at (\S+)\.(?:\s|$)/.exec(told)?.[1] ?? "none";
      return calling("jq_tool_output", { id, filter: "length", slurp: true });
    };
    const around = order === "outside" ? { after: [summary] } : { before: [summary] };
    const more = { checkpointer: new MemorySaver(), ...around };
    const agent = agentOf([turn], [rowsTool()], { offloader: opened().offloader }, more);
    const begin = { messages: [new SystemMessage("Be brief."), new HumanMessage("?")] };
    await agent.invoke(begin, thread("t"));
    const { messages } = await agent.invoke(question, thread("t"));
    expect(artifactsOf(messages)).toEqual([]);
    expect(toolMessages(messages).at(-1)?.text).toMatch(/^800\n/);
  },
);

it("a parent without parameters for references is offered none, whatever a sub-agent of its thread has", async () => {
  const { offloader } = opened(referring("auto"));
  const save = toolNamed("save", () => "saved", z.object({ rows: z.array(z.unknown()) }));
  const sub = agentOf(["done"], [save], { offloader });
  const run = toolNamed("delegate", async () => {
    await sub.invoke(question, thread("parent"));
    return JSON.stringify(rows);
  });
  const agent = agentOf([calling("delegate")], [run], { offloader });
  const { messages } = await agent.invoke(question, thread("parent"));
  const [descriptor = ""] = toolMessages(messages).map(({ text }) => text);
  expect(descriptor).toContain('"offloaded":true');
  expect(descriptor).not.toContain("$output");
});

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
const FILTER =
  '[inputs | select(.city == "Rome").id] as $rome | [$orders[] | select(.user_id | IN($rome[])).amount] | add';
const QUERY = "SELECT sum(amount) FROM output JOIN orders ON user_id = id WHERE city = 'Rome'";
const SQL = { drillIn: { sql: {}, timeoutMs: 25_000 } };
const ofMcpagent = { preset: mcpagent(), threshold: { tokens: 1_000 } };

it.each<[string, OffloadOptions, string, string, object]>([
  ["jq_tool_output", {}, "jq_tool_output", "id", { filter: FILTER }],
  ["sql_tool_output", SQL, "sql_tool_output", "id", { query: QUERY }],
  ["jq of the preset lro", { preset: lro() }, "jq_tool_output", "id", { filter: FILTER }],
  [
    "jq of the preset mcpagent",
    ofMcpagent,
    "query_large_output",
    "filename",
    { query: FILTER.replace("inputs", ".[]") },
  ],
])(
  "an agent joins two offloaded outputs with %s, and the event names both",
  async (_, options, name, key, what) => {
    const { offloader, events } = opened(options);
    const both = ["list_users", "list_orders"].map((tool) => ({ name: tool, args: {} }));
    const join: ScriptedTurn = (messages) => {
      const [users, orders] = artifactsOf(messages).map(({ fileName }) => fileName);
      return calling(name, { [key]: users, with: { orders }, ...what });
    };
    const tools = [
      toolNamed("list_users", () => JSON.stringify(USERS)),
      toolNamed("list_orders", () => JSON.stringify(ORDERS)),
    ];
    const agent = agentOf([{ toolCalls: both }, join], tools, { offloader });
    const { messages } = await agent.invoke(question, thread("t"));
    const [users, orders] = artifactsOf(messages);
    expect(toolMessages(messages).at(-1)?.text.split("\n")).toContain(ROME);
    expect(events.filter(({ type }) => type === "drilled-in")).toMatchObject([
      { tool: name, artifactId: users?.id, otherArtifactIds: [orders?.id], failed: false },
    ]);
  },
);
