import { PassThrough } from "node:stream";
import { fileURLToPath } from "node:url";

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import * as z from "zod";

import { rawClient, shakeHands } from "../../adapters/mcp/connections.js";
import { records } from "../data.js";
import { createOffloadProxy, memoryStore, offloadServer } from "../entries.js";
import type { Case } from "../pins.js";
import { SESSION } from "../rig.js";

const SERVER = fileURLToPath(new URL("../../adapters/mcp/scripted-server.mjs", import.meta.url));

/** The id in a descriptor, which stands as text in JSON. */
const idOf = (line: string): string => /file_path\\*":\\*"([^"\\]+)/.exec(line)?.[1] ?? "none";

/** In front of a server that is scripted, as lines. */
const proxy: Case = {
  name: "an MCP proxy: a store that fails",
  run: async (rig) => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const store = { ...memoryStore(), put: () => Promise.reject(new Error("disk full")) };
    const { closed, offloader } = createOffloadProxy({
      ...rig.options({ store, threshold: { tokens: 200 } }),
      upstream: { command: process.execPath, args: [SERVER] },
      sessionId: SESSION,
      input,
      output,
      onWarning: () => {},
    });
    void closed.then(() => output.end());
    const write = (line: string): void => void input.write(`${line}\n`);
    const client = rawClient(output, write, async () => {
      input.end();
      await closed;
    });
    const hands = await shakeHands(client);
    const params = { name: "rows", arguments: {} };
    const result = await client.request("tools/call", params, "call of rows");
    await client.close();
    await offloader.close();
    return await rig.pinned({ hands, result });
  },
};

const extension: Case = {
  name: "an MCP server: a large result with structured content, and what its tools read",
  run: async (rig) => {
    const author = new McpServer({ name: "author", version: "1.0.0" });
    const offloader = offloadServer(author, { ...rig.options(), sessionId: SESSION });
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
      arguments: { file_path: id, recipe: 2 },
    });
    await client.close();
    await offloader.close();
    return await rig.pinned({ listed: listed.tools.map(({ name }) => name), result, extracted });
  },
};

export const mcp: readonly Case[] = [proxy, extension];
