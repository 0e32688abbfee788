import { randomBytes } from "node:crypto";

import { type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import { createSupervisor } from "@langchain/langgraph-supervisor";
import { createHandoffTool, createSwarm } from "@langchain/langgraph-swarm";
import { CompositeBackend, createDeepAgent, StateBackend } from "deepagents";
import { createAgent, tool } from "langchain";
import { describe, expect, it } from "vitest";

import { offloadBackend } from "../../src/adapters/langchain/deep-agents/deep-agents.js";
import { offloadMiddleware } from "../../src/adapters/langchain/offload-middleware.js";
import type { SessionRule } from "../../src/adapters/langchain/grants/own-session.js";
import type { Offloader } from "../../src/offload/offloader.js";
import { scopeOf } from "../../src/store/naming.js";
import { scriptedModel, type ScriptedTurn } from "../../src/testing/scripted-model.js";
import { openedOffloaders } from "../opened-offloaders.js";
import { question, rowsTool, toolMessages } from "./large-outputs.js";

const ID = /[0-7][0-9A-HJKMNP-TV-Z]{25}/;
const NEEDS_GRANT = "only if the application has granted it";
const opened = openedOffloaders();
const keys = [{ id: "k1", secret: randomBytes(32) }];

const ones = (length: number): object[] => Array.from({ length }, () => ({ a: 1 }));
const lastText = (messages: readonly BaseMessage[]): string => messages.at(-1)?.text ?? "";
const idIn = (text: string | undefined): string => ID.exec(text ?? "")?.[0] ?? "none";
const callRows = (only?: string): ScriptedTurn => ({
  toolCalls: [{ name: "list_rows", args: only === undefined ? {} : { only } }],
});
const count = (id: string): { name: string; args: Record<string, unknown> } => ({
  name: "jq_tool_output",
  args: { id, filter: "length", slurp: true },
});
const lastTools = (messages: readonly BaseMessage[]): string[] =>
  toolMessages(messages).map(({ text }) => text);

/** The recipe of docs/grants.md: what the task names is granted, and nothing else. */
function ownSession(offloader: Offloader): SessionRule {
  return async ({ threadId = "none", named }) => {
    const sessionId = `${threadId}/reader`;
    const token = await offloader.grantTo({ sessionId: threadId, to: sessionId, outputs: named });
    return { sessionId, grants: [token] };
  };
}

/** The parent may read all that its reader stores. */
async function asParent(
  offloader: Offloader,
  thread: string,
): Promise<{ configurable: Record<string, unknown> }> {
  const back = { sessionId: `${thread}/reader`, to: thread, outputs: "all" as const };
  return {
    configurable: { thread_id: thread, offloadGrants: [await offloader.grantTo(back)] },
  };
}

describe("a sub-agent of a deep agent with a session of its own", () => {
  /** Both cities are stored by the parent; the task names the first alone. */
  async function run(
    thread: string,
    reader: readonly ScriptedTurn[],
    after: readonly ScriptedTurn[] = [],
    rule: (offloader: Offloader) => SessionRule | undefined = ownSession,
  ) {
    const { offloader, events } = opened({ grants: { keys } });
    const session = rule(offloader);
    const backend = new CompositeBackend(new StateBackend(), {
      "/offloads/": offloadBackend(offloader),
    });
    const task: ScriptedTurn = (messages) => {
      const description = `Count ${idIn(lastTools(messages)[0])}.`;
      const args = { description, subagent_type: "reader" };
      return { toolCalls: [{ name: "task", args }] };
    };
    const agent = createDeepAgent({
      model: scriptedModel([callRows("Rome"), callRows(), task, ...after]),
      tools: [rowsTool()],
      middleware: [offloadMiddleware({ offloader })],
      backend,
      checkpointer: new MemorySaver(),
      subagents: [
        {
          name: "reader",
          description: "Counts.",
          systemPrompt: "Count.",
          model: scriptedModel(reader),
          tools: [rowsTool()],
          middleware: [offloadMiddleware({ offloader, ...(session && { session }) })],
        },
      ],
    });
    const config = await asParent(offloader, thread);
    const { messages } = await agent.invoke({ messages: [new HumanMessage("go")] }, config);
    const { values } = await agent.graph.getState(config);
    return { offloader, events, texts: lastTools(messages), values };
  }

  it("reads what its task names", async () => {
    const { texts, values } = await run("deep-1", [
      (messages) => ({ toolCalls: [count(idIn(lastText(messages)))] }),
      lastText,
    ]);
    expect(texts[2]).toMatch(/^400\n/);
    // Its session is its own: the parent goes on in its thread.
    expect(values).toMatchObject({ _offloadOwn: undefined });
  });

  it("reads no other output of its parent, by its tools or as a file, and is told why", async () => {
    const found: string[] = [];
    const listing: ScriptedTurn = { toolCalls: [{ name: "ls", args: { path: "/offloads/" } }] };
    const noting = (next: ScriptedTurn): ScriptedTurn => {
      return (messages) => {
        found.push(lastText(messages));
        return typeof next === "function" ? next(messages) : next;
      };
    };
    // The id of the other output reaches it by a side way.
    const other = async (messages: readonly BaseMessage[]) => {
      const page = await current?.store.list(scopeOf("deep-2"));
      const named = messages.map(({ text }) => text).join("\n");
      const id = page?.artifacts.find((one) => !named.includes(one.id))?.id ?? "none";
      return {
        toolCalls: [count(id), { name: "read_file", args: { file_path: `/offloads/${id}` } }],
      };
    };
    let current: Offloader | undefined;
    const noted = (own: Offloader): SessionRule => {
      current = own;
      return ownSession(own);
    };
    const { texts } = await run(
      "deep-2",
      [listing, noting(other), (messages) => lastTools(messages).slice(1).join("\n---\n")],
      [],
      noted,
    );
    expect(found[0]).not.toMatch(ID);
    const [byTool, asFile] = texts[2]?.split("\n---\n") ?? [];
    expect(byTool).toContain("No stored output");
    expect(byTool).toContain(NEEDS_GRANT);
    expect(asFile).toContain("No stored output");
  });

  it("reads nothing of its parent without a grant, although the thread is the same", async () => {
    const { texts } = await run(
      "deep-4",
      [(messages) => ({ toolCalls: [count(idIn(lastText(messages)))] }), lastText],
      [],
      () => () => ({ sessionId: "deep-4/reader" }),
    );
    expect(texts[2]).toContain(NEEDS_GRANT);
  });
});

describe("an agent under a supervisor", () => {
  it("reads what the conversation names when its session is granted that, and else nothing", async () => {
    for (const isGranted of [true, false]) {
      const { offloader } = opened({ grants: { keys } });
      const thread = `supervised-${String(isGranted)}`;
      const { storedArtifact } = await offloader.put(JSON.stringify(ones(400)), {
        sessionId: thread,
      });
      const session: SessionRule = isGranted
        ? ownSession(offloader)
        : () => ({ sessionId: `${thread}/reader` });
      const reader = createAgent({
        name: "reader",
        // The script goes on from the answer of the supervisor.
        model: scriptedModel(["", { toolCalls: [count(storedArtifact.id)] }, lastText]),
        middleware: [offloadMiddleware({ offloader, session })],
      });
      const handOver: ScriptedTurn = (messages) =>
        messages.some(({ name }) => name === "reader")
          ? "Done."
          : { toolCalls: [{ name: "transfer_to_reader", args: {} }] };
      const graph = createSupervisor({
        agents: [reader.graph],
        llm: scriptedModel([handOver, handOver, handOver]),
        outputMode: "full_history",
      }).compile({ checkpointer: new MemorySaver() });
      const text = `How many are in ${storedArtifact.id}?`;
      const { messages } = await graph.invoke(
        { messages: [new HumanMessage(text)] },
        { configurable: { thread_id: thread } },
      );
      const answer = toolMessages(messages).find(({ name }) => name === "jq_tool_output")?.text;
      expect(answer).toMatch(isGranted ? /^400\n/ : new RegExp(NEEDS_GRANT));
    }
  });
});

describe("an agent of a swarm", () => {
  it("reads what was handed to it when it is granted, and else nothing, though it has the messages", async () => {
    for (const isGranted of [true, false]) {
      const { offloader } = opened({ grants: { keys } });
      const thread = `swarm-${String(isGranted)}`;
      const session: SessionRule = isGranted
        ? ownSession(offloader)
        : () => ({ sessionId: `${thread}/reader` });
      const stored = (messages: readonly BaseMessage[]): string =>
        idIn(toolMessages(messages).find(({ name }) => name === "list_rows")?.text);
      const collector = createAgent({
        name: "collector",
        model: scriptedModel([
          callRows(),
          { toolCalls: [{ name: "transfer_to_reader", args: {} }] },
        ]),
        tools: [rowsTool(), createHandoffTool({ agentName: "reader" })],
        middleware: [offloadMiddleware({ offloader })],
      });
      const reader = createAgent({
        name: "reader",
        // The script goes on from the answers of the collector.
        model: scriptedModel([
          "",
          "",
          (messages) => ({ toolCalls: [count(stored(messages))] }),
          lastText,
        ]),
        middleware: [offloadMiddleware({ offloader, session })],
      });
      const graph = createSwarm({
        agents: [collector.graph, reader.graph] as never,
        defaultActiveAgent: "collector",
      }).compile({ checkpointer: new MemorySaver() });
      const { messages } = await graph.invoke(question, { configurable: { thread_id: thread } });
      const answer = toolMessages(messages).find(({ name }) => name === "jq_tool_output")?.text;
      expect(answer).toMatch(isGranted ? /^800\n/ : new RegExp(NEEDS_GRANT));
    }
  });
});

describe("an agent on another thread", () => {
  it("gives a granted output to a tool by reference, stated in the call as its own would be", async () => {
    const { offloader } = opened({ grants: { keys } });
    const { storedArtifact } = await offloader.put(JSON.stringify(ones(300)), {
      sessionId: "first",
      toolName: "list_orders",
    });
    const { id } = storedArtifact;
    const token = await offloader.grantTo({ sessionId: "first", to: "second", outputs: [id] });
    const received: unknown[] = [];
    const send = tool(
      ({ rows }: { rows: unknown }) => {
        received.push(rows);
        return "sent";
      },
      {
        name: "send_rows",
        description: "Sends.",
        schema: { type: "object", properties: { rows: { type: "array" } } } as never,
      },
    );
    const agent = createAgent({
      model: scriptedModel([
        { toolCalls: [{ name: "send_rows", args: { rows: { $output: id } } }] },
        lastText,
      ]),
      tools: [send],
      middleware: [offloadMiddleware({ offloader })],
    });
    const run = async (offloadGrants: readonly string[]): Promise<readonly BaseMessage[]> =>
      (await agent.invoke(question, { configurable: { thread_id: "second", offloadGrants } }))
        .messages;
    const messages = await run([token]);
    expect(received).toEqual([ones(300)]);
    expect(JSON.stringify(messages)).toContain("list_orders: 300 records");
    expect(JSON.stringify(await run([]))).toContain("No stored output");
    expect(received).toHaveLength(1);
  });
});
