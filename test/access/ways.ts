import { type BaseMessage, ToolMessage } from "@langchain/core/messages";
import type { BaseCheckpointSaver } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { CompositeBackend, createDeepAgent, StateBackend } from "deepagents";
import { createAgent } from "langchain";
import * as z from "zod";

import { offloadBackend } from "../../src/adapters/deepagents/deep-agents.js";
import {
  createDrillInTools,
  type Offloader,
  offloadMiddleware,
  offloadToolNode,
  sessionKeyOf,
  type SessionRule,
  withOffload,
} from "../../src/index.js";
import { offloadServer } from "../../src/adapters/mcp/index.js";
import {
  type ScriptedModel,
  scriptedModel,
  type ScriptedTurn,
} from "../../src/testing/scripted-model.js";
import { calling } from "../adapters/agents.js";
import { handWrittenGraph } from "../adapters/large-outputs.js";
import { proxied, shakeHands } from "../adapters/mcp/connections.js";
import {
  type Ask,
  DRILL_INS,
  type Kit,
  listRows,
  optionsOver,
  type Place,
  REFERENCE,
  type Row,
  takeRows,
} from "./rig.js";

/** What is used of a graph. */
export interface Graph {
  invoke(input: unknown, config?: object): Promise<{ messages: BaseMessage[] }>;
  getStateHistory(config: object): AsyncIterable<{
    config: object;
    values: { messages?: BaseMessage[]; _offloads?: object };
  }>;
  updateState(config: object, values: object, asNode?: string): Promise<object>;
}

interface GraphOptions {
  readonly checkpointer?: BaseCheckpointSaver | undefined;
  readonly session?: SessionRule | undefined;
  readonly more?: readonly unknown[] | undefined;
}
export type MakeGraph = (
  offloader: Offloader,
  model: ScriptedModel,
  options?: GraphOptions,
) => Graph;

/** The ways in for conversations of LangGraph. */
export const GRAPHS: Readonly<Record<"agent" | "node" | "tools", MakeGraph>> = {
  agent: (offloader, model, { checkpointer, session, more = [] } = {}) =>
    createAgent({
      model,
      tools: [listRows, takeRows, ...(more as [])],
      middleware: [offloadMiddleware({ offloader, ...(session && { session }) })],
      ...(checkpointer && { checkpointer }),
    }).graph,
  node: (offloader, model, { checkpointer, more = [] } = {}) => {
    const node = offloadToolNode([listRows, takeRows, ...(more as [])], { offloader });
    return handWrittenGraph(model, node.tools, node).compile(checkpointer && { checkpointer });
  },
  tools: (offloader, model, { checkpointer, more = [] } = {}) => {
    const own = [listRows, takeRows, ...(more as [])].map((one) => withOffload(one, { offloader }));
    const tools = [...own, ...createDrillInTools(offloader)];
    return handWrittenGraph(model, tools, new ToolNode(tools)).compile(
      checkpointer && { checkpointer },
    );
  },
};
export type Tools = Pick<Row, "kit" | "wide">;
export const GRAPH_KIT: Tools = {
  kit: { ...DRILL_INS, ...REFERENCE },
  wide: ["read", "$output"],
};

/** Asks as a model does; `run` invokes what has this model. */
export function askModel(
  run: (model: ScriptedModel) => Promise<unknown>,
  before: readonly ScriptedTurn[] = [],
): Ask {
  return async (rounds) => {
    const turns = rounds.map((round) => ({
      toolCalls: round.map(({ key, name, args }) => ({ name, args, id: key })),
    }));
    const model = scriptedModel([...before, ...turns]);
    await run(model);
    const tools = (model.requests.at(-1) ?? []).filter((one) => ToolMessage.isInstance(one));
    return new Map(tools.map(({ tool_call_id, text }) => [tool_call_id, text]));
  };
}

/** A deep agent, or its sub-agent where there is a rule for that, over files of stored outputs. */
export function askDeep(
  offloader: Offloader,
  { folder, session }: { readonly folder: string; readonly session?: SessionRule | undefined },
  config: object,
): Ask {
  const mounted = offloadBackend(offloader);
  const backend = new CompositeBackend(new StateBackend(), {
    "/offloads/": mounted,
    [`${folder}/`]: mounted,
  });
  const task = calling("task", { description: "read", subagent_type: "reader" });
  const READER = { name: "reader", description: "Reads.", systemPrompt: "Read." };
  const ownMiddleware = offloadMiddleware({ offloader, ...(session && { session }) });
  return askModel(async (model) => {
    const agent = createDeepAgent({
      model: session ? scriptedModel([task]) : model,
      middleware: [offloadMiddleware({ offloader })],
      backend,
      ...(session && { subagents: [{ ...READER, model, middleware: [ownMiddleware] }] }),
    });
    await agent.invoke(question, config);
  });
}
/** What a deep agent can have listed, and the lines of all files. */
export async function listDeep(ask: Ask): Promise<string> {
  const path = "/offloads/";
  const grep = { path, pattern: "canary", output_mode: "content" };
  const calls = { ls: { path }, glob: { path, pattern: "**" }, grep };
  const found = await ask([
    Object.entries(calls).map(([name, args]) => ({ key: name, name, args })),
  ]);
  return [...found.values()].join("\n");
}
const inFolder = (reference: string): string =>
  reference.startsWith("/") ? reference : `/offloads/${reference}`;
export const DEEP_KIT: Kit = {
  read_file: ["read_file", (reference) => ({ file_path: inFolder(reference), limit: 3 })],
  grep: [
    "grep",
    (reference) => ({ pattern: "canary", path: inFolder(reference), output_mode: "content" }),
  ],
};

export const question: { readonly messages: { role: string; content: string }[] } = {
  messages: [{ role: "user", content: "Read." }],
};

type Session = { readonly sessionId: string };

/** Asks one call after the other. */
const askEach =
  (call: (name: string, args: Readonly<Record<string, unknown>>) => Promise<string>): Ask =>
  async (rounds) => {
    const answers = new Map<string, string>();
    for (const { key, name, args } of rounds.flat()) answers.set(key, await call(name, args));
    return answers;
  };

/** A loop of one's own, over the tools that it gives its model. */
export function askLoop(offloader: Offloader, session: Session): Ask {
  const tools = offloader.tools(session.sessionId);
  return askEach(
    async (name, args) => (await tools.find((one) => one.name === name)?.run(args))?.text ?? "",
  );
}

/** Code that calls the drill-ins of an offloader. */
export function askDrillIn(offloader: Offloader, { sessionId }: Session): Ask {
  const keys = new Map(Object.entries(DRILL_INS).map(([key, [name]]) => [name, key]));
  const by = { sessionKey: sessionKeyOf(sessionId) };
  return askEach(
    async (name, args) => (await offloader.drillIn.run(keys.get(name) ?? name, args, by)).text,
  );
}

/** A connection of the protocol. */
export interface Connection {
  readonly ask: Ask;
  readonly close: () => Promise<unknown>;
}
export const MCP_KIT: Tools = { kit: DRILL_INS, wide: ["read"] };

function connection(
  request: (method: string, params: object) => Promise<string>,
  close: () => Promise<unknown>,
): Connection {
  return {
    ask: askEach((name, args) => request("tools/call", { name, arguments: args })),
    close,
  };
}

/** A client of a server that has the extension. */
export async function toServer(place: Place, given: Session): Promise<Connection> {
  const server = new McpServer({ name: "author", version: "1.0.0" });
  server.registerTool("hello", {}, () => ({ content: [{ type: "text", text: "hello" }] }));
  const offloader = offloadServer(server, { ...optionsOver(place), ...given });
  const client = new Client({ name: "c", version: "1" });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(theirs), client.connect(ours)]);
  return connection(
    (method, params) =>
      client.request({ method, params } as never, z.unknown() as never).then(
        (result) => JSON.stringify(result),
        (error: unknown) => String(error),
      ),
    async () => {
      await client.close();
      await offloader.close();
    },
  );
}

/** A client of a proxy before a server. */
export async function toProxy(place: Place, url: string, given: Session): Promise<Connection> {
  const { client, proxy } = proxied({ ...optionsOver(place), upstream: { url }, ...given });
  await shakeHands(client);
  return connection(
    async (method, params) => {
      const { result, error } = JSON.parse(await client.request(method, params)) as {
        result?: object;
        error?: object;
      };
      return JSON.stringify(result ?? error);
    },
    async () => {
      await client.close();
      await proxy.offloader.close();
    },
  );
}
