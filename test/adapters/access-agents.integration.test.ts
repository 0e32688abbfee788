import { type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import { createHandoffTool, createSwarm } from "@langchain/langgraph-swarm";
import { CompositeBackend, createDeepAgent, StateBackend } from "deepagents";
import { expect, it } from "vitest";
import * as z from "zod";

import { referring } from "../referring.js";
import { offloadBackend } from "../../src/adapters/deepagents/deep-agents.js";
import {
  type AccessRule,
  offloadMiddleware,
  sessionKeyOf,
  type SessionRule,
} from "../../src/index.js";
import { scriptedModel, type ScriptedTurn } from "../../src/testing/scripted-model.js";
import { GRAPHS } from "../access/ways.js";
import { openedOffloaders } from "../opened-offloaders.js";
import { question, rowsTool, toolMessages } from "./large-outputs.js";
import { agentOf, calling, thread, toolNamed } from "./agents.js";

const ID = /[0-7][0-9A-HJKMNP-TV-Z]{25}/;
const opened = openedOffloaders();

const ones = (length: number): object[] => Array.from({ length }, () => ({ a: 1 }));
const lastText = (messages: readonly BaseMessage[]): string => messages.at(-1)?.text ?? "";
const idIn = (text: string | undefined): string => ID.exec(text ?? "")?.[0] ?? "none";
const callRows = (only?: string): ScriptedTurn =>
  calling("list_rows", only === undefined ? {} : { only });
const count = (id: string): { name: string; args: Record<string, unknown> } => ({
  name: "jq_tool_output",
  args: { id, filter: "length", slurp: true },
});
const lastTools = (messages: readonly BaseMessage[]): string[] =>
  toolMessages(messages).map(({ text }) => text);
const ownSession: SessionRule = ({ threadId = "none" }) => `${threadId}/reader`;
type Asked = Parameters<AccessRule>[0];

it("a sub-agent of a deep agent with a session of its own reads by each of its tools what the rule opens, and nothing else; its parent reads it back", async () => {
  const asked: Asked[] = [];
  const open = new Set<string>();
  const { offloader } = opened({
    ...referring("auto"),
    access: (read) => {
      asked.push(read);
      const { sessionId, artifactId } = read;
      if (sessionId === "deep") return ["deep/reader"];
      return open.has(artifactId) ? ["deep"] : [];
    },
  });
  const path = (id: string): string => `/offloads/${id}.jsonl`;
  const stored: string[] = [];
  const answers: string[] = [];
  const asking = (id: () => string): ScriptedTurn => {
    return () => ({
      toolCalls: [
        count(id()),
        { name: "read_file", args: { file_path: path(id()) } },
        {
          name: "grep",
          args: { pattern: "visit 6319362", path: path(id()), output_mode: "content" },
        },
        { name: "take_rows", args: { rows: { $output: id() } } },
      ],
    });
  };
  const taken: unknown[][] = [];
  const takeRows = toolNamed(
    "take_rows",
    ({ rows }: { rows: unknown[] }) => {
      taken.push(rows);
      return "taken";
    },
    z.object({ rows: z.array(z.any()) }),
  );
  const reader = {
    name: "reader",
    description: "Counts.",
    systemPrompt: "Count.",
    model: scriptedModel([
      asking(() => stored[0] ?? ""),
      asking(() => stored[1] ?? ""),
      calling("ls", { path: "/offloads/" }),
      (messages) => {
        answers.push(...lastTools(messages));
        return calling("list_rows", { only: "Oslo" });
      },
      (messages) => idIn(lastText(messages)),
    ]),
    tools: [rowsTool(), takeRows],
    middleware: [offloadMiddleware({ offloader, session: ownSession })],
  };
  const agent = createDeepAgent({
    model: scriptedModel([
      callRows("Rome"),
      callRows(),
      (messages) => {
        stored.push(...lastTools(messages).map(idIn));
        open.add(stored[0] ?? "");
        const args = { description: "Count.", subagent_type: "reader" };
        return calling("task", args);
      },
      (messages) => ({ toolCalls: [count(idIn(lastText(messages)))] }),
      lastText,
    ]),
    tools: [rowsTool()],
    middleware: [offloadMiddleware({ offloader })],
    backend: new CompositeBackend(new StateBackend(), { "/offloads/": offloadBackend(offloader) }),
    checkpointer: new MemorySaver(),
    subagents: [reader],
  });
  const config = { configurable: { thread_id: "deep" }, context: { user: "ann" } };
  const { messages } = await agent.invoke({ messages: [new HumanMessage("go")] }, config);

  const [byJq, asFile, byGrep, asData] = answers;
  expect(byJq).toMatch(/^400\n/);
  expect(asFile).toContain('"Rome"');
  expect(byGrep).toContain("visit 6319362");
  expect(asData).toBe("taken");
  expect(taken.map(({ length }) => length)).toEqual([400]);
  for (const answer of answers.slice(4, 8)) {
    expect(answer).toContain("No stored output");
    expect(answer).not.toContain("visit");
  }
  expect(answers[8]).not.toMatch(ID);
  expect(lastText(messages)).toMatch(/^400\n/);
  const told = asked.map(({ sessionId, artifactId, context }) => [
    sessionId,
    stored.indexOf(artifactId),
    context,
  ]);
  expect(told).toContainEqual(["deep/reader", 0, { user: "ann" }]);
  expect(told).toContainEqual(["deep/reader", 1, { user: "ann" }]);
  expect(told.at(-1)).toEqual(["deep", -1, { user: "ann" }]);
  expect(told.every(([, , context]) => context !== undefined)).toBe(true);
  // Its session is its own: the parent goes on in its thread.
  const { values } = await agent.graph.getState(config);
  expect(values).toMatchObject({ _offloadOwn: undefined });
});

it.each([true, false])(
  "an agent with a session of its own reads what a swarm hands to it as the rule says, though it has the messages: %s",
  async (isOpen) => {
    const access: AccessRule = ({ sessionId }) =>
      isOpen && sessionId.endsWith("/reader") ? [sessionId.slice(0, -"/reader".length)] : [];
    const { offloader } = opened({ access });
    const answerOf = (messages: readonly BaseMessage[], tool: string): string | undefined =>
      toolMessages(messages).find(({ name }) => name === tool)?.text;
    const collector = agentOf(
      [callRows(), calling("transfer_to_reader")],
      [rowsTool(), createHandoffTool({ agentName: "reader" })],
      { offloader },
      { name: "collector" },
    );
    const counts: ScriptedTurn = (messages) => ({
      toolCalls: [count(idIn(answerOf(messages, "list_rows")))],
    });
    const reader = agentOf(
      ["", "", counts, lastText],
      [],
      { offloader, session: ownSession },
      { name: "reader" },
    );
    const graph = createSwarm({
      agents: [collector.graph, reader.graph] as never,
      defaultActiveAgent: "collector",
    }).compile({ checkpointer: new MemorySaver() });
    const { messages } = await graph.invoke(question, thread("swarm"));
    const wanted = isOpen ? /^800\n/ : /^No stored output/;
    expect(answerOf(messages, "jq_tool_output")).toMatch(wanted);
  },
);

it("an agent on another thread reads for who the run's context says, states what it gives to tools, and asks nothing without a thread", async () => {
  const asked: Asked[] = [];
  const { offloader } = opened({
    ...referring("auto"),
    access: (read) => {
      asked.push(read);
      return (read.context as { user: string }).user === "ann" ? ["first"] : [];
    },
  });
  const session = { sessionId: "first", toolName: "list_orders" };
  const { id } = (await offloader.put(JSON.stringify(ones(300)), session)).storedArtifact;
  const mine = await offloader.put(JSON.stringify(ones(7)), { sessionId: "second" });
  const received: unknown[] = [];
  const send = toolNamed(
    "send_rows",
    ({ rows }: { rows: unknown }) => {
      received.push(rows);
      return "sent";
    },
    { type: "object", properties: { rows: { type: "array" } } } as never,
  );
  const joined = { other: id };
  const beside = { id: mine.storedArtifact.id, with: joined };
  const query = "SELECT (SELECT count(*) FROM output) + (SELECT count(*) FROM other) AS n";
  const agent = agentOf(
    [
      {
        toolCalls: [
          { name: "send_rows", args: { rows: { $output: id } } },
          count(id),
          { name: "sql_tool_output", args: { ...beside, query } },
        ],
      },
      "Done.",
    ],
    [send],
    { offloader },
    { contextSchema: z.object({ user: z.string() }) },
  );
  const run = async (user: string, thread_id?: string): Promise<string[]> => {
    const configurable = thread_id === undefined ? {} : { thread_id };
    const { messages } = await agent.invoke(question, { configurable, context: { user } });
    return [JSON.stringify(messages), ...lastTools(messages)];
  };
  const [all, sent, counted, joint] = await run("ann", "second");
  expect([sent, received]).toEqual(["sent", [ones(300)]]);
  expect(all).toContain("list_orders: 300 records");
  expect(counted).toMatch(/^300\n/);
  expect(joint).toContain("307");

  const refused = await run("bob", "second");
  for (const answer of refused.slice(1)) expect(answer).toContain("No stored output");
  expect(received).toHaveLength(1);
  expect(new Set(asked.map(({ sessionId }) => sessionId))).toEqual(new Set(["second"]));

  asked.length = 0;
  for (const answer of (await run("ann")).slice(1)) expect(answer).toContain("No stored output");
  expect(asked).toEqual([]);
  expect(received).toHaveLength(1);
  expect((await offloader.store.list(sessionKeyOf("second"))).artifacts).toHaveLength(1);
});

it("a graph by hand has the rule told of the run's context by each way in", async () => {
  const asked: Asked[] = [];
  const { offloader } = opened({
    ...referring({ take_rows: ["rows"] }),
    access: (read) => {
      asked.push(read);
      return ["first"];
    },
  });
  const { storedArtifact } = await offloader.put(JSON.stringify(ones(30)), { sessionId: "first" });
  const rows = { $output: storedArtifact.id };
  const turn = {
    toolCalls: [count(storedArtifact.id), { name: "take_rows", args: { rows } }],
  };
  for (const way of ["node", "tools"] as const) {
    asked.length = 0;
    const graph = GRAPHS[way](offloader, scriptedModel([turn, "Done."]));
    const context = { user: "ann" };
    const config = { configurable: { thread_id: "second" }, context };
    const { messages } = await graph.invoke(question, config);
    expect(lastTools(messages)).toEqual([expect.stringMatching(/^30\n/), "Taken: undefined"]);
    const told = { sessionId: "second", artifactId: storedArtifact.id, context };
    expect(asked).toEqual([told, told]);
  }
});

it("an agent stores in its thread, where one with a session of its own ran before", async () => {
  const { offloader } = opened();
  const more = { checkpointer: new MemorySaver() };
  for (const own of [{ session: ownSession }, {}]) {
    const agent = agentOf([callRows()], [rowsTool()], { offloader, ...own }, more);
    await agent.invoke(question, thread("t"));
  }
  expect(["t/reader", "t"].map((id) => offloader.stats(id).outputsOffloaded)).toEqual([1, 1]);
});
