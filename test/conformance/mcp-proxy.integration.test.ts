import { execFile, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { dirname } from "node:path";
import { promisify } from "node:util";

import { InMemoryTaskStore } from "@modelcontextprotocol/sdk/experimental/tasks/stores/in-memory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, it } from "vitest";

import { isFromProxy, OFFLOAD_EXTENSION } from "../../src/adapters/mcp/proxy-flag.js";
import { readMessage } from "../../src/adapters/mcp/message.js";
import { offloadServer, type OffloadServerOptions } from "../../src/adapters/mcp/index.js";
import type { OffloadProxyOptions } from "../../src/adapters/mcp/proxy.js";
import { fileStore } from "../../src/core/store/file/index.js";
import {
  directHttp,
  proxied,
  type RawClient,
  type Rpc,
  shakeHands,
  textsOf,
} from "../adapters/mcp/connections.js";
import { afterFile, newDirectory } from "../after-file.js";
import { startProxy } from "../cli/run-command.js";
import { memories, type OffloadResponse, RESPONSE_FIELDS } from "./offload-call.js";

const run = promisify(execFile);
const hasJq = spawnSync("jq", ["--version"]).status === 0;
const SET = memories(120, "medium");
/** What the server says beside its results. */
const UNKNOWN = { _meta: { trace: [1, "two"] }, "x-vendor": { kept: true } };

/** A remote memory server over streamable HTTP that offloads itself, as the specification has it. */
async function remoteServer(options: OffloadServerOptions = { sharedFilesystem: true }) {
  const bodies: string[] = [];
  const capabilities = { tasks: { requests: { tools: { call: {} } } } };
  const server = new McpServer(
    { name: "memories", version: "1.0.0" },
    { taskStore: new InMemoryTaskStore(), capabilities },
  );
  const store = fileStore({ directory: newDirectory() });
  const offloader = offloadServer(server, { store, ...options });
  const contentOf = (set: readonly object[]): CallToolResult => ({
    content: [{ type: "text", text: JSON.stringify(set) }],
  });
  for (const [name, set] of [
    ["recall_memories", SET],
    ["list_memories", SET.slice(0, 1)],
  ] as const)
    server.registerTool(name, {}, () => ({ ...contentOf(set), ...UNKNOWN }));
  server.experimental.tasks.registerToolTask(
    "research",
    { description: "Recalls in its own time.", execution: { taskSupport: "required" } },
    {
      async createTask({ taskStore }) {
        const task = await taskStore.createTask({ ttl: 60_000 });
        await taskStore.storeTaskResult(task.taskId, "completed", contentOf(SET));
        return { task };
      },
      getTask: ({ taskStore, taskId }) => taskStore.getTask(taskId),
      getTaskResult: async ({ taskStore, taskId }) =>
        (await taskStore.getTaskResult(taskId)) as CallToolResult,
    },
  );
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => "one" });
  await server.connect(transport);
  const http = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk));
    request.on("end", () => {
      if (body !== "") bodies.push(body);
      const parsed: unknown = body === "" ? undefined : JSON.parse(body);
      void transport.handleRequest(request, response, parsed);
    });
  }).listen(0, "127.0.0.1");
  await once(http, "listening");
  const { port } = http.address() as { port: number };
  afterFile(async () => {
    http.closeAllConnections();
    http.close();
    await offloader.close();
  });
  return { url: `http://127.0.0.1:${port}/mcp`, bodies, offloader };
}

/** A client that is connected, until the file is done. */
async function connected<Place extends { readonly client: RawClient }>(
  place: Place,
): Promise<Place> {
  afterFile(() => place.client.close());
  await shakeHands(place.client);
  return place;
}

const ask = async (client: RawClient, name = "recall_memories"): Promise<string> => {
  const params = { name, arguments: { detail: "medium" } };
  return textsOf(JSON.parse(await client.request("tools/call", params)) as Rpc)[0] ?? "";
};

/** A proxy in front of the remote server, with a directory of its own. */
async function withProxy(options: Partial<OffloadProxyOptions> = {}) {
  const remote = await remoteServer();
  const directory = newDirectory();
  const store = fileStore({ directory, ...(options.now && { now: options.now }) });
  const upstream = { url: remote.url };
  return { ...(await connected(proxied({ upstream, store, ...options }))), remote, directory };
}

/** The answer of the proxy's memory tool. */
const recalled = async (client: RawClient): Promise<OffloadResponse> =>
  JSON.parse(await ask(client));

const linesOf = (path: string): string[] => readFileSync(path, "utf8").trimEnd().split("\n");

describe("a remote server and its local proxy", () => {
  it("5 the result of a finished task is the descriptor", async () => {
    const { client, remote } = await withProxy();
    const params = { name: "research", arguments: {}, task: {} };
    const created = JSON.parse(await client.request("tools/call", params)) as Rpc;
    const { taskId } = (created.result?.["task"] ?? {}) as { taskId: string };
    const answer = JSON.parse(await client.request("tasks/result", { taskId })) as Rpc;
    const response: OffloadResponse = JSON.parse(textsOf(answer)[0] ?? "");
    const { file_path } = response;
    expect(response).toMatchObject({ offloaded: true, summary: { operation: "research" } });
    expect(linesOf(file_path).slice(1)).toEqual(SET.map((memory) => JSON.stringify(memory)));
    expect(answer.result?.["_meta"]).toMatchObject({
      "io.modelcontextprotocol/related-task": { taskId },
    });
    expect(remote.offloader.stats().outputsOffloaded).toBe(0);
  });

  it("60 SHOULD without a proxy a server over HTTP does not offload, unless the disk is shared", async () => {
    for (const options of [{}, { sharedFilesystem: true }]) {
      const remote = await remoteServer(options);
      const { client } = await connected({ client: directHttp(remote.url) });
      const text = await ask(client);
      if ("sharedFilesystem" in options)
        expect(JSON.parse(text)).toMatchObject({ offloaded: true });
      else expect(text).toBe(JSON.stringify(SET));
    }
  });

  it("62 the server sees the proxy, and answers inline", async () => {
    const { client, remote } = await withProxy({ enabled: false });
    expect(await ask(client)).toBe(JSON.stringify(SET));
    const initialize = readMessage(remote.bodies[0] ?? "");
    expect(initialize && isFromProxy(initialize)).toBe(true);
    expect(initialize?.params).toMatchObject({
      clientInfo: { name: "raw", proxy: true },
      capabilities: { extensions: { [OFFLOAD_EXTENSION]: { proxy: true } } },
    });
  });

  it("63 MAY the proxy writes the file in place of the remote server", async () => {
    const { client, remote, directory } = await withProxy();
    await ask(client);
    expect(remote.offloader.stats().outputsOffloaded).toBe(0);
    const written = readdirSync(directory).filter((name) => name.startsWith("atlatl-recall-"));
    expect(written).toHaveLength(1);
  });

  it("64 the flow: it connects with the flag, gets full results, writes, and answers with a local path", async () => {
    const drillIn = { maxAnswerTokens: 20_000 };
    const { client, remote, directory } = await withProxy({ drillIn });
    const { file_path, jq_recipes: recipes } = await recalled(client);
    const [initialize = "", ...later] = remote.bodies;
    expect(JSON.parse(initialize)).toMatchObject({
      method: "initialize",
      params: { clientInfo: { proxy: true } },
    });
    expect(later.filter((body) => body.includes('"tools/call"'))).toHaveLength(1);
    expect(remote.offloader.stats().outputsOffloaded).toBe(0);
    expect(dirname(file_path)).toBe(directory);
    expect(linesOf(file_path).slice(1)).toEqual(SET.map((memory) => JSON.stringify(memory)));
    // The client runs a recipe: by its own jq, or by the tool that the proxy has.
    const titles = SET.map(({ id, title, namespace }) => ({ id, title, namespace }));
    const params = { name: "lro_extract", arguments: { file_path, recipe: 4 } };
    const native = JSON.parse(await client.request("tools/call", params)) as Rpc;
    const lines = textsOf(native)[0]
      ?.split("\n")
      .filter((line) => line.startsWith("{"));
    expect(lines?.map((line) => JSON.parse(line))).toEqual(titles);
    if (hasJq) {
      const { stdout } = await run("sh", ["-c", `${recipes[3]?.command} | jq -s .`]);
      expect(JSON.parse(stdout)).toEqual(titles);
    }
    // Later calls go to the remote server too; the drill-in did not.
    expect(remote.bodies.filter((body) => body.includes("lro_extract"))).toEqual([]);
  });

  it("65 MUST the threshold and the file are those of the specification", async () => {
    const { client } = await withProxy();
    expect(await ask(client, "list_memories")).toBe(JSON.stringify(SET.slice(0, 1)));
    const response = await recalled(client);
    expect(Object.keys(response)).toEqual(RESPONSE_FIELDS);
    expect(response.jq_recipes).toHaveLength(10);
    const [header = ""] = linesOf(response.file_path);
    const said = { operation: "recall", count: SET.length, detail: "medium" };
    expect(JSON.parse(header)).toMatchObject({ type: "lro_header", ...said });
  });

  it("66 MUST NOT the proxy alter the data: its lines are the server's records", async () => {
    const { client } = await withProxy();
    const { file_path } = await recalled(client);
    expect(linesOf(file_path).slice(1)).toEqual(SET.map((memory) => JSON.stringify(memory)));
    const large = JSON.parse(client.lines.at(-1) ?? "") as Rpc;
    expect(large.result).toMatchObject(UNKNOWN);
    // What stays is what the server would have told anybody.
    const small = await client.request("tools/call", { name: "list_memories" }, "same");
    const remote = await remoteServer({});
    const { client: direct } = await connected({ client: directHttp(remote.url) });
    expect(small).toBe(await direct.request("tools/call", { name: "list_memories" }, "same"));
  });

  it("67 its files have the same life and the same cleanup", async () => {
    let nowMs = Date.now();
    const { client, proxy } = await withProxy({ now: () => nowMs });
    const { file_path } = await recalled(client);
    nowMs += 3_599_000;
    expect(await proxy.offloader.sweep()).toEqual([]);
    nowMs += 2000;
    expect(await proxy.offloader.sweep()).toHaveLength(1);
    expect(existsSync(file_path)).toBe(false);
  });

  it("68 MAY it keeps no state: a new one cleans up after one that ended without a word", async () => {
    // Its clock stands still, so that it removes nothing itself, and it is not closed.
    const first = await withProxy({ now: () => Date.UTC(2026, 0, 1) });
    const { file_path } = await recalled(first.client);
    expect(existsSync(file_path)).toBe(true);
    await withProxy({ store: fileStore({ directory: first.directory }) });
    await expect.poll(() => readdirSync(first.directory)).toEqual([]);
    expect(existsSync(file_path)).toBe(false);
  });

  it("69 MAY it is a program that needs standard streams and an HTTP client", async () => {
    const remote = await remoteServer();
    const { client, exited } = startProxy(["--directory", newDirectory(), remote.url]);
    await shakeHands(client);
    expect(JSON.parse(await ask(client))).toMatchObject({ offloaded: true });
    await client.close();
    expect(await exited).toEqual([0, null]);
  });
});
