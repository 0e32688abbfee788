import { AIMessage, type BaseMessage, HumanMessage, SystemMessage } from "@langchain/core/messages";
import { Command, MemorySaver } from "@langchain/langgraph";
import {
  ClearToolUsesEdit,
  contextEditingMiddleware,
  createAgent,
  humanInTheLoopMiddleware,
  summarizationMiddleware,
  toolRetryMiddleware,
} from "langchain";
import { describe, expect, it } from "vitest";
import * as z from "zod";

import { references } from "../../src/adapters/langchain/references/references.js";
import type { Offloader, OffloadEvent } from "../../src/index.js";
import { mcpagent } from "../../src/presets/mcpagent/mcpagent.js";
import { scriptedModel, type ScriptedTurn } from "../../src/testing/scripted-model.js";
import { sharedOffloader } from "../opened-offloaders.js";
import { agentOf, calling, thread, toolNamed } from "./agents.js";
import { artifactsOf, countRome, question, rows, rowsTool, toolMessages } from "./large-outputs.js";

const offloader = sharedOffloader();
const referring = sharedOffloader({ plugins: [references()] });

const callRows = calling("list_rows");
const isDescriptor = /^\{"offloaded":true/;

/** An agent with offloading before or after another middleware. */
function agentWith(
  order: "outside" | "inside",
  other: unknown,
  turns: readonly ScriptedTurn[],
  tools: readonly unknown[] = [rowsTool()],
) {
  const around = order === "outside" ? { after: [other] } : { before: [other] };
  const agent = agentOf(
    turns,
    tools,
    { offloader },
    { checkpointer: new MemorySaver(), ...around },
  );
  return { model: agent.model, agent };
}

describe.each(["outside", "inside"] as const)("offloading %s of", (order) => {
  it("retries: the output of the last try is offloaded", async () => {
    let tries = 0;
    const flaky = toolNamed("list_rows", () => {
      tries += 1;
      if (tries < 3) throw new Error("again");
      return JSON.stringify(rows);
    });
    const retry = toolRetryMiddleware({ maxRetries: 3, initialDelayMs: 1 });
    const { agent } = agentWith(order, retry, [callRows], [flaky]);
    const { messages } = await agent.invoke(question, thread(`retry-${order}`));
    expect(tries).toBe(3);
    expect(toolMessages(messages)[0]?.text).toMatch(isDescriptor);
  });

  it("a person who approves, edits or rejects the call", async () => {
    const decisions = {
      approve: { type: "approve" },
      edit: { type: "edit", editedAction: { name: "list_rows", args: { only: "Rome" } } },
      reject: { type: "reject", message: "Not today." },
    } as const;
    for (const [name, decision] of Object.entries(decisions)) {
      const person = humanInTheLoopMiddleware({ interruptOn: { list_rows: true } } as never);
      const { agent } = agentWith(order, person, [callRows]);
      const config = thread(`person-${order}-${name}`);
      await agent.invoke(question, config);
      const resumed = await agent.invoke(
        new Command({ resume: { decisions: [decision] } }),
        config,
      );
      const counts = artifactsOf(resumed.messages).map(({ recordCount }) => recordCount);
      expect([name, ...counts]).toEqual(
        { approve: ["approve", 800], edit: ["edit", 400], reject: ["reject"] }[name],
      );
    }
  });

  it("context editing: a descriptor that was cleared can still be drilled into", async () => {
    const edit = contextEditingMiddleware({
      edits: [new ClearToolUsesEdit({ trigger: { tokens: 1 }, keep: { messages: 1 } })],
    });
    const again: ScriptedTurn = (messages) => {
      const asked = messages.filter((message) => AIMessage.isInstance(message)).at(-1);
      return { toolCalls: asked?.tool_calls?.map(({ name, args }) => ({ name, args })) ?? [] };
    };
    const { agent, model } = agentWith(order, edit, [callRows, countRome, again]);
    const { messages } = await agent.invoke(question, thread(`editing-${order}`));
    expect(toolMessages(model.requests[2] ?? [])[0]?.text).toBe("[cleared]");
    expect(toolMessages(messages)[2]?.text).toMatch(/^400\n/);
  });

  it("a summary: what it keeps of a descriptor finds the artifact", async () => {
    const summarizer = scriptedModel([
      (messages) =>
        `Stored at ${/file_path[\\":]+([^\s"\\]+)/.exec(messages.at(-1)?.text ?? "")?.[1]}.`,
    ]);
    const summary = summarizationMiddleware({
      model: summarizer,
      trigger: { messages: 4 },
      keep: { messages: 1 },
    } as never);
    const fromSummary: ScriptedTurn = (messages) => {
      const told = messages.find(({ text }) => text.includes("Stored at "))?.text ?? "";
      const id = /Stored at (\S+)\.(?:\s|$)/.exec(told)?.[1] ?? "none";
      return calling("jq_tool_output", { id, filter: "length", slurp: true });
    };
    const turn: ScriptedTurn = (messages) =>
      messages.some(({ text }) => text.includes("Stored at ")) ? fromSummary(messages) : callRows;
    const { agent } = agentWith(order, summary, [turn]);
    const config = thread(`summary-${order}`);
    await agent.invoke(
      { messages: [new SystemMessage("Be brief."), new HumanMessage("?")] },
      config,
    );
    const { messages } = await agent.invoke(question, config);
    expect(artifactsOf(messages)).toEqual([]);
    expect(toolMessages(messages).at(-1)?.text).toMatch(/^800\n/);
  });
});

const delegate: ScriptedTurn = calling("delegate");
const lastText = (messages: readonly BaseMessage[]): string => messages.at(-1)?.text ?? "";

/** Counts what the descriptor names that came as the last tool message's text. */
const countMarked: ScriptedTurn = (messages) => {
  const id = /[0-7][0-9A-HJKMNP-TV-Z]{25}/.exec(lastText(messages))?.[0] ?? "none";
  const args = { id, filter: 'map(select(.city == "Rome")) | length', slurp: true };
  return calling("jq_tool_output", args);
};

it("a parent without parameters for references is offered none, whatever a sub-agent of its thread has", async () => {
  const save = toolNamed("save", () => "saved", z.object({ rows: z.array(z.unknown()) }));
  const sub = agentOf(["done"], [save], { offloader: referring });
  const run = toolNamed("delegate", async () => {
    await sub.invoke(question, { configurable: { thread_id: "parent" } });
    return JSON.stringify(rows);
  });
  const agent = agentOf([delegate], [run], { offloader: referring });
  const { messages } = await agent.invoke(question, { configurable: { thread_id: "parent" } });
  const [descriptor = ""] = toolMessages(messages).map(({ text }) => text);
  expect(descriptor).toContain('"offloaded":true');
  expect(descriptor).not.toContain("$output");
});

it("a sub-agent without the middleware sees the whole output, and its parent gets a descriptor of what it passes on", async () => {
  const sub = createAgent({ model: scriptedModel([callRows, lastText]), tools: [rowsTool()] });
  const run = toolNamed("delegate", async () =>
    lastText((await sub.invoke(question, thread("none"))).messages),
  );
  const agent = agentOf([delegate, countMarked], [run], { offloader });
  const { messages } = await agent.invoke(question, thread("none"));
  const [marker, answer] = toolMessages(messages).map(({ text }) => text);
  expect(marker).toContain('"offloaded":true');
  expect(answer).toMatch(/^400\n/);
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

const listUsers = toolNamed("list_users", () => JSON.stringify(USERS));
const listOrders = toolNamed("list_orders", () => JSON.stringify(ORDERS));
const go = { messages: [new HumanMessage("How much was ordered in Rome?")] };
const FILTER =
  '[inputs | select(.city == "Rome").id] as $rome | [$orders[] | select(.user_id | IN($rome[])).amount] | add';
const QUERY = "SELECT sum(amount) FROM output JOIN orders ON user_id = id WHERE city = 'Rome'";

const events: OffloadEvent[] = [];
const onEvent = (event: OffloadEvent): unknown => events.push(event);
const joinedOffloader = sharedOffloader({ drillIn: { sql: {}, timeoutMs: 25_000 }, onEvent });
const presetOffloader = sharedOffloader({
  preset: mcpagent(),
  threshold: { tokens: 1000 },
  onEvent,
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
    return calling(name, { id: paths[0], filename: paths[0], with: { orders: paths[1] }, ...what });
  };
}

const TURNS: [name: string, what: object, offloader: Offloader][] = [
  ["jq_tool_output", { filter: FILTER }, joinedOffloader],
  ["sql_tool_output", { query: QUERY }, joinedOffloader],
  // A preset's own tool takes `with` too.
  ["query_large_output", { query: FILTER.replace("inputs", ".[]") }, presetOffloader],
];

describe.each(TURNS)("an agent joins two offloaded outputs with %s", (name, what, offloader) => {
  it("in createAgent, and the event names both", async () => {
    events.length = 0;
    const agent = agentOf(
      [callBoth, join(name, what)],
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
