import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { fileURLToPath } from "node:url";

import { afterEach, describe, expect, it } from "vitest";

import { createOffloadProxy, type OffloadProxy } from "../../../src/adapters/mcp/index.js";
import type { StdioServer } from "../../../src/adapters/mcp/transport/stdio-upstream.js";
import { memoryStore } from "../../../src/core/store/memory.js";
import { proxied, type RawClient, type Rpc, shakeHands, textsOf } from "./connections.js";

const FAULTY = fileURLToPath(new URL("./faulty-server.mjs", import.meta.url));
/** A program whose standard streams are the socket at a port. */
const BRIDGE =
  "const s = require('net').connect(+process.argv[1]); process.stdin.pipe(s).pipe(process.stdout);";
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** A proxy of this process in front of a server, as a program that another one can start. */
async function behindProxy(upstream: StdioServer) {
  const proxies: OffloadProxy[] = [];
  const warnings: string[] = [];
  const server = createServer((socket) => {
    const proxy = createOffloadProxy({
      upstream,
      store: memoryStore(),
      onWarning: (sentence) => warnings.push(sentence),
      input: socket,
      output: socket,
    });
    void proxy.closed.then(() => socket.end());
    proxies.push(proxy);
  }).listen(0, "127.0.0.1");
  servers.push(server);
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  const program = { command: process.execPath, args: ["-e", BRIDGE, String(port)] };
  return { program, proxies, warnings };
}

const callTool = async (client: RawClient, name: string, args: object = {}): Promise<Rpc> =>
  JSON.parse(await client.request("tools/call", { name, arguments: args })) as Rpc;

describe("proxies in a row (item 11)", () => {
  it("are one: the first stores and answers, the others stand back by its clientInfo", async () => {
    const inner = await behindProxy({ command: process.execPath, args: [FAULTY] });
    const middle = await behindProxy(inner.program);
    const { client, proxy, warnings } = proxied({ upstream: middle.program });
    await shakeHands(client);
    const { tools } = (JSON.parse(await client.request("tools/list")) as Rpc).result as {
      tools: { name: string }[];
    };
    const names = tools.map(({ name }) => name);
    expect(names.slice(-2)).toEqual(["read_tool_output", "lro_extract"]);
    expect(new Set(names).size).toBe(names.length);

    const [text = ""] = textsOf(await callTool(client, "rows", { count: 3000 }));
    const { file_path, summary } = JSON.parse(text);
    expect(summary.count).toBe(3000);
    const ask = { file_path, query: "select(.id == 2999) | .city" };
    expect(textsOf(await callTool(client, "lro_extract", ask))[0]).toContain('"Rome"');
    const read = await callTool(client, "read_tool_output", { id: file_path, start_record: 3000 });
    expect(textsOf(read)[0]).toContain("2999");

    expect(proxy.offloader.stats().outputsOffloaded).toBe(1);
    for (const { proxies } of [middle, inner]) {
      expect(proxies.map(({ offloader }) => offloader.stats().outputsSeen)).toEqual([0]);
    }
    expect([...warnings, ...middle.warnings, ...inner.warnings]).toEqual([]);
    await client.close();
  });
});
