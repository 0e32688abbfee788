import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { type ClientCapabilities, type Implementation } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, describe, expect, it } from "vitest";
import * as z from "zod";

import {
  offloadServer,
  type OffloadServerOptions,
  OFFLOAD_EXTENSION,
} from "../../../src/adapters/mcp/index.js";
import { fileStore } from "../../../src/core/store/file/index.js";

const folder = mkdtempSync(join(tmpdir(), "lro-server-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const rows = Array.from({ length: 2000 }, (_, id) => ({ id, city: "Rome" }));
const all = JSON.stringify(rows);

/** A server of the official SDK as an author writes it, and its own offloading. */
function newServer(options: OffloadServerOptions = {}) {
  const server = new McpServer({ name: "author", version: "1.0.0" });
  const offloader = offloadServer(server, {
    store: fileStore({ directory: folder }),
    ...options,
  });
  const rowSchema = z.object({ id: z.number(), city: z.string() });
  server.registerTool(
    "rows",
    { description: "All rows.", outputSchema: { rows: z.array(rowSchema) } },
    () => ({ content: [{ type: "text", text: all }], structuredContent: { rows } }),
  );
  server.registerTool("hello", { description: "Says hello." }, () => ({
    content: [{ type: "text", text: "hello" }],
  }));
  return { server, offloader };
}

const CLIENT: Implementation = { name: "c", version: "1" };

async function connect(
  options: OffloadServerOptions = {},
  info = CLIENT,
  capabilities: ClientCapabilities = {},
) {
  const { server, offloader } = newServer(options);
  const client = new Client(info, { capabilities });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(theirs), client.connect(ours)]);
  return { client, server, offloader };
}

const textOf = (result: unknown): string =>
  (result as { content: { text: string }[] }).content[0]?.text ?? "";

describe("offloadServer", () => {
  it("gives a proxy everything inline, by either mark, though the SDK drops the first", async () => {
    const marks: [Implementation, ClientCapabilities][] = [
      [{ ...CLIENT, proxy: true } as Implementation, {}],
      [CLIENT, { extensions: { [OFFLOAD_EXTENSION]: { proxy: true } } }],
    ];
    for (const [info, capabilities] of marks) {
      const { client, server, offloader } = await connect({}, info, capabilities);
      expect(server.server.getClientVersion()).not.toHaveProperty("proxy");
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toEqual(["rows", "hello"]);
      expect(textOf(await client.callTool({ name: "rows" }))).toBe(all);
      await client.close();
      await offloader.close();
    }
  });

  it("keeps an onmessage that the transport has already (T2)", async () => {
    const { server, offloader } = newServer();
    const client = new Client(CLIENT);
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    const heard: unknown[] = [];
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a transport is no event target.
    theirs.onmessage = (message) => heard.push("method" in message && message.method);
    await Promise.all([server.connect(theirs), client.connect(ours)]);
    await client.callTool({ name: "hello" });
    expect(heard).toEqual(["initialize", "notifications/initialized", "tools/call"]);
    await client.close();
    await offloader.close();
  });

  it.each([
    [{}, false],
    [{ sharedFilesystem: true }, true],
  ])("over streamable HTTP with %j offloads: %s", async (options, offloads) => {
    const { server, offloader } = newServer(options);
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => "one" });
    await server.connect(transport);
    const http = createServer(
      (request, response) => void transport.handleRequest(request, response),
    ).listen(0, "127.0.0.1");
    await once(http, "listening");
    const { port } = http.address() as { port: number };
    const url = new URL(`http://127.0.0.1:${port}/mcp`);
    const client = new Client(CLIENT);
    await client.connect(new StreamableHTTPClientTransport(url));
    const text = textOf(await client.callTool({ name: "rows" }));
    if (offloads) expect(JSON.parse(text)).toMatchObject({ offloaded: true });
    else expect(text).toBe(all);
    await client.close();

    http.closeAllConnections();
    http.close();
    await offloader.close();
  });
});
