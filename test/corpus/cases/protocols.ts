import { fileURLToPath } from "node:url";

import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { StructuredTool } from "@langchain/core/tools";
import { CompositeBackend, createDeepAgent, StateBackend } from "deepagents";
import { createAgent, tool } from "langchain";
import * as z from "zod";

import { proxied, type RawClient, shakeHands } from "../../adapters/mcp/connections.js";
import { outputsOf, records } from "../data.js";
import {
  DEEP_AGENT_FILE_TOOLS,
  drained,
  lroServerExtension,
  memoryStore,
  offloadBackend,
  offloadCallbackHandler,
  offloadMiddleware,
  type OffloadOptions,
  openTelemetryListener,
  scriptedModel,
  type ScriptedTurn,
} from "../entries.js";
import type { Case } from "../pins.js";
import { type Rig, SESSION } from "../rig.js";
import { calls, idIn, question, thread, told } from "../surfaces.js";
import { outputOf, tellOf } from "../walk.js";

const SERVER = fileURLToPath(new URL("../../adapters/mcp/scripted-server.mjs", import.meta.url));
const { "a JSON array": json = "", "a log": log = "" } = outputsOf(100);

/** Answers of a proxy in front of a server that is scripted, as lines. */
async function asked(
  rig: Rig,
  options: OffloadOptions,
  ask: (client: RawClient) => Promise<unknown>,
): Promise<unknown> {
  const upstream = { command: process.execPath, args: [SERVER] };
  const { client, proxy } = proxied({ ...rig.options(options), upstream, sessionId: SESSION });
  const hands = await shakeHands(client);
  const result = await ask(client);
  await client.close();
  await proxy.offloader.close();
  return await rig.pinned({ hands, result });
}

const call = async (client: RawClient, name: string, args: object = {}): Promise<string> =>
  await client.request("tools/call", { name, arguments: args }, `call of ${name}`);
/** The id in a descriptor, which stands as text in JSON. */
const idOf = (line: string): string => /file_path\\*":\\*"([^"\\]+)/.exec(line)?.[1] ?? "none";
const broken = { ...memoryStore(), put: () => Promise.reject(new Error("disk full")) };

const PROXY: Readonly<
  Record<string, readonly [OffloadOptions, (client: RawClient) => Promise<unknown>]>
> = {
  "a large result, and what its tools read": [
    {},
    async (client) => {
      const rows = await call(client, "rows");
      const extracted = await call(client, "lro_extract", {
        file_path: idOf(rows),
        query: "select(.row == 7)",
      });
      const read = await call(client, "read_tool_output", {
        id: idOf(rows),
        start_line: 2,
        end_line: 2,
      });
      return {
        rows,
        extracted,
        read,
        missing: await call(client, "read_tool_output", { id: "none" }),
      };
    },
  ],
  "a small result": [{}, async (client) => await call(client, "small")],
  "a tool that is out of scope": [
    { scope: { exclude: ["rows"] } },
    async (client) => (await call(client, "rows")).length,
  ],
  "a store that fails": [
    { store: broken, decide: { threshold: { tokens: 200 } } },
    async (client) => await call(client, "rows"),
  ],
  "cut in place": [
    { decide: { mode: "truncate", threshold: { tokens: 100 } } },
    async (client) => await call(client, "rows"),
  ],
};

const proxies: readonly Case[] = Object.entries(PROXY).map(([name, [options, ask]]) => ({
  name: `an MCP proxy: ${name}`,
  run: async (rig) => await asked(rig, options, ask),
}));

const server: Case = {
  name: "an MCP server: a large result with structured content, and what its tools read",
  run: async (rig) => {
    const author = new McpServer({ name: "author", version: "1.0.0" });
    const offloader = lroServerExtension(author, { ...rig.options(), sessionId: SESSION });
    const rows = records(100);
    const outputSchema = { rows: z.array(z.looseObject({ id: z.number() })) };
    author.registerTool("rows", { description: "All rows.", outputSchema }, () => ({
      content: [{ type: "text", text: JSON.stringify({ rows }) }],
      structuredContent: { rows },
    }));
    const client = new Client({ name: "client", version: "1.0.0" });
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    await Promise.all([author.connect(theirs), client.connect(ours)]);
    const listed = await client.listTools();
    const result = await client.callTool({ name: "rows" });
    const id = idOf(JSON.stringify(result));
    const extracted = await client.callTool({
      name: "lro_extract",
      arguments: { file_path: id, recipe: 4 },
    });
    await client.close();
    await offloader.close();
    return await rig.pinned({ listed, result, extracted });
  },
};

const nameIn: (messages: Parameters<typeof idIn>[0]) => string = (messages) =>
  `/offloads/${idIn(messages)}`;
const files: ScriptedTurn = (messages) => ({
  toolCalls: [
    { name: "ls", args: { path: "/offloads/" } },
    { name: "read_file", args: { file_path: nameIn(messages), offset: 1, limit: 2 } },
    { name: "grep", args: { pattern: "record 42", path: "/offloads/" } },
    { name: "glob", args: { pattern: "**/*.jsonl", path: "/offloads/" } },
    { name: "write_file", args: { file_path: nameIn(messages), content: "x" } },
    { name: "edit_file", args: { file_path: nameIn(messages), old_string: "a", new_string: "b" } },
    { name: "read_file", args: { file_path: "/offloads/none.jsonl" } },
  ],
});

const deepAgent: Case = {
  name: "a deep agent: its file tools over what is stored",
  run: async (rig) => {
    const offloader = rig.offloader({ scope: { exclude: DEEP_AGENT_FILE_TOOLS } });
    const listRows = tool(() => json, {
      name: "list_rows",
      description: "All rows.",
      schema: z.object({}),
    }) as unknown as StructuredTool;
    const agent = createDeepAgent({
      model: scriptedModel([calls("list_rows"), files]),
      tools: [listRows],
      middleware: [offloadMiddleware({ offloader })],
      backend: new CompositeBackend(new StateBackend(), {
        "/offloads/": offloadBackend(offloader),
      }),
    });
    const { messages } = await agent.invoke(question, thread);
    await offloader.close();
    // They run at the same time.
    rig.events.sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
    return await rig.pinned(told(messages));
  },
};

const observed: Case = {
  name: "a callback handler: what tools returned",
  run: async (rig) => {
    const heard: unknown[] = [];
    const handler = offloadCallbackHandler({
      onOutput: (output) => heard.push(output),
      tokenizer: "characters",
    });
    const middleware = [offloadMiddleware(rig.options())];
    const tools = [
      tool(() => log, { name: "list_log", description: "The log." }),
      tool(() => "pong", { name: "ping", description: "Says pong." }),
    ];
    const agent = createAgent({
      model: scriptedModel([calls("list_log"), calls("ping")]),
      tools,
      middleware,
    });
    await agent.invoke(question as never, { ...thread, callbacks: [handler] });
    return await rig.pinned(heard);
  },
};

const traced: Case = {
  name: "OpenTelemetry: the spans of a walk, a drill-in and a failure",
  run: async (rig) => {
    const exporter = new InMemorySpanExporter();
    const provider = new BasicTracerProvider({
      spanProcessors: [new SimpleSpanProcessor(exporter)],
    });
    const listener = openTelemetryListener({ tracer: provider.getTracer("corpus") });
    const offloader = rig.offloader({ onEvent: listener });
    const told = await tellOf(offloader.offload(outputOf({ value: log })));
    const failing = rig.offloader({ onEvent: listener, store: broken });
    await failing.offload(outputOf({ value: log }));
    const { storedArtifact } = told as { storedArtifact: { id: string; scope: string } };
    await offloader.drillIn.read(
      { id: storedArtifact.id, start_line: 1, end_line: 1 },
      storedArtifact.scope,
    );
    const spans = exporter.getFinishedSpans().map(({ name, attributes, status, events }) => ({
      name,
      status,
      attributes: { ...attributes, "langchain_offload.duration_ms": undefined },
      events: events.map((event) => event.name),
    }));
    return await rig.pinned(spans);
  },
};

const paged: Case = {
  name: "a drained tool: all pages, some of them, and one that fails",
  run: async (rig) => {
    const schema = z.object({ query: z.string(), cursor: z.string().optional() });
    const search = (failsAt: number) =>
      tool(
        ({ cursor = "0" }: z.infer<typeof schema>) => {
          const page = Number(cursor);
          if (page >= failsAt) throw new Error("502");
          const items = records(40).map((row) => ({ ...row, page }));
          return JSON.stringify({ data: { items }, next: page < 4 ? String(page + 1) : null });
        },
        { name: "search", description: "Searches.", schema },
      );
    const at = { recordsAt: "data.items", cursorAt: "next" };
    const offloader = rig.offloader();
    const results: unknown[] = [];
    for (const drainedTool of [
      drained(search(9), at),
      drained(search(9), { ...at, maxPages: 2 }),
      drained(search(3), at),
    ]) {
      const value: unknown = await drainedTool.invoke({ query: "q" });
      results.push(await tellOf(offloader.offload(outputOf({ value })), value));
    }
    await offloader.close();
    return await rig.pinned(results);
  },
};

export const protocols: readonly Case[] = [...proxies, server, deepAgent, observed, traced, paged];
