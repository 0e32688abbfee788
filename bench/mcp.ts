import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";

import { atMost, type BenchRow, median, timeOf } from "./harness.js";

const MAIN = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));
const EVERYTHING = createRequire(import.meta.url)
  .resolve("@modelcontextprotocol/server-everything/package.json")
  .replace("package.json", "dist/index.js");
const CALL = { name: "echo", arguments: { message: "as it was before" } };
const ROUNDS = 7;
const CALLS_A_ROUND = 150;
const IN_FLIGHT = 50;

/** What the proxy costs: small calls one by one, and many at once, against the server alone. */
export async function benchMcp(): Promise<BenchRow[]> {
  const stdio = await compare("stdio", [EVERYTHING, "stdio"], undefined);
  const { url, child } = await overHttp();
  const http = await compare("HTTP", undefined, url);
  // It does not end by itself while sessions are open.
  child.kill("SIGKILL");
  return [...stdio, ...http];
}

async function compare(
  over: string,
  server: readonly string[] | undefined,
  url: string | undefined,
): Promise<BenchRow[]> {
  const upstream = server ? ["--", process.execPath, ...server] : [url ?? ""];
  const direct = await connect(
    server
      ? new StdioClientTransport({ command: process.execPath, args: [...server], stderr: "ignore" })
      : new StreamableHTTPClientTransport(new URL(url ?? "")),
  );
  const proxied = await connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [MAIN, "proxy", ...upstream],
      stderr: "ignore",
    }),
  );
  for (const client of [direct, proxied]) await inFlight(client);
  const latency = { direct: [] as number[], proxied: [] as number[] };
  const rate = { direct: [] as number[], proxied: [] as number[] };
  // By turns, so that what else the machine does falls on both alike.
  for (let round = 0; round < ROUNDS; round += 1) {
    latency.direct.push(...(await oneByOne(direct)));
    latency.proxied.push(...(await oneByOne(proxied)));
    rate.direct.push(await inFlight(direct));
    rate.proxied.push(await inFlight(proxied));
  }
  await Promise.all([direct.close(), proxied.close()]);
  const overheadMs = median(latency.proxied) - median(latency.direct);
  const share = median(rate.proxied) / median(rate.direct);
  return [
    {
      group: "mcp",
      name: `small call through the proxy, ${over}, overhead`,
      ours: `${overheadMs.toFixed(2)} ms`,
      other: `${median(latency.direct).toFixed(2)} ms without the proxy`,
      ratio: `${(median(latency.proxied) / median(latency.direct)).toFixed(2)}x`,
      ...atMost(overheadMs, 1, "ms at the median"),
    },
    {
      group: "mcp",
      name: `${IN_FLIGHT} small calls in flight, ${over}`,
      ours: `${median(rate.proxied).toFixed(0)} calls/s`,
      other: `${median(rate.direct).toFixed(0)} calls/s without the proxy`,
      ratio: `${share.toFixed(2)}x`,
      goal: "at least 0.8 of it",
      met: share >= 0.8,
    },
  ];
}

async function connect(transport: unknown): Promise<Client> {
  const client = new Client({ name: "bench", version: "1.0.0" });
  await client.connect(transport as Transport);
  return client;
}

/** Milliseconds of each call. */
async function oneByOne(client: Client): Promise<number[]> {
  const times: number[] = [];
  for (let call = 0; call < CALLS_A_ROUND; call += 1) {
    times.push(await timeOf(() => client.callTool(CALL)));
  }
  return times;
}

/** Calls a second. */
async function inFlight(client: Client): Promise<number> {
  let left = CALLS_A_ROUND * 2;
  const worker = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await client.callTool(CALL);
    }
  };
  const took = await timeOf(() => Promise.all(Array.from({ length: IN_FLIGHT }, worker)));
  return (CALLS_A_ROUND * 2 * 1000) / took;
}

async function overHttp(): Promise<{ url: string; child: ChildProcess }> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as { port: number };
  probe.close();
  const child = spawn(process.execPath, [EVERYTHING, "streamableHttp"], {
    env: { ...process.env, PORT: String(port) },
    stdio: ["ignore", "ignore", "pipe"],
  });
  while (!String(await once(child.stderr, "data")).includes("listening"));
  child.stderr.resume();
  return { url: `http://127.0.0.1:${port}/mcp`, child };
}
