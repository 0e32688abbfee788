import { PassThrough } from "node:stream";
import { fileURLToPath } from "node:url";

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import * as z from "zod";

import { rawClient, type RawClient, shakeHands } from "../../adapters/mcp/connections.js";
import { records } from "../data.js";
import { createOffloadProxy, offloadServer, memoryStore, type OffloadOptions } from "../entries.js";
import type { Case } from "../pins.js";
import { type Rig, SESSION } from "../rig.js";

const SERVER = fileURLToPath(new URL("../../adapters/mcp/scripted-server.mjs", import.meta.url));

/** Answers of a proxy in front of a server that is scripted, as lines. */
async function asked(
  rig: Rig,
  options: OffloadOptions,
  ask: (client: RawClient) => Promise<unknown>,
): Promise<unknown> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const proxy = createOffloadProxy({
    ...rig.options(options),
    upstream: { command: process.execPath, args: [SERVER] },
    sessionId: SESSION,
    input,
    output,
    onWarning: () => {},
  });
  void proxy.closed.then(() => output.end());
  const write = (line: string): void =>
    void input.write(`${line}
`);
  const client = rawClient(output, write, async () => {
    input.end();
    await proxy.closed;
  });
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
  "a store that fails": [
    { store: broken, threshold: { tokens: 200 } },
    async (client) => await call(client, "rows"),
  ],
};

const proxies: readonly Case[] = Object.entries(PROXY).map(([name, [options, ask]]) => ({
  name: `an MCP proxy: ${name}`,
  run: async (rig) => await asked(rig, options, ask),
}));

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

export const mcp: readonly Case[] = [...proxies, extension];
