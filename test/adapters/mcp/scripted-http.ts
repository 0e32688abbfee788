import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

import type { OffloadProxyOptions } from "../../../src/adapters/mcp/proxy.js";
import { afterFile } from "../../after-file.js";
import { callTool, type Proxied, proxied, type Rpc, shakeHands } from "./connections.js";

/** Answers each call with this result. */
export const answers =
  (result: (request: IncomingMessage) => object): Handler =>
  ({ id }, response, request) =>
    void response.writeHead(200, JSON_TYPE).end(answer(id, result(request)));

/** Answers a request, gives `later` when it will, or leaves it to what comes after. */
export type Handler = (message: Rpc, response: ServerResponse, request: IncomingMessage) => unknown;

export const JSON_TYPE: Record<string, string> = { "content-type": "application/json" };
export const EVENTS: Record<string, string> = { "content-type": "text/event-stream" };
export const answer = (id: unknown, result: object): string =>
  JSON.stringify({ jsonrpc: "2.0", id, result });
const INITIALIZED = {
  protocolVersion: "2025-11-25",
  capabilities: { tools: {} },
  serverInfo: { name: "h", version: "1" },
};

interface Seen {
  readonly method: string;
  readonly headers: IncomingMessage["headers"];
  readonly message: Rpc | undefined;
}

/** What a test has of it. */
interface ScriptedPlace extends Proxied {
  /** Every request, in order. */
  readonly seen: Seen[];
  readonly call: (name?: string, args?: object) => Promise<Rpc>;
}

/** An HTTP server whose tool calls a test answers itself, and a client behind the proxy. */
export async function start(
  onCall: Handler,
  onOther: Handler = () => undefined,
  options: Partial<OffloadProxyOptions> = {},
): Promise<ScriptedPlace> {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk));
    request.on("end", () => {
      const message = body === "" ? undefined : (JSON.parse(body) as Rpc);
      seen.push({ method: request.method ?? "", headers: request.headers, message });
      if (onOther(message ?? {}, response, request) === "later") return;
      if (response.headersSent || response.writableEnded || response.destroyed) return;
      if (message === undefined) response.writeHead(request.method === "GET" ? 405 : 200).end();
      else if (message.method === "initialize") {
        response.writeHead(200, { ...JSON_TYPE, "mcp-session-id": `s${seen.length}` });
        response.end(answer(message.id, INITIALIZED));
      } else if (message.id === undefined || message.method === undefined) {
        response.writeHead(202).end();
      } else onCall(message, response, request);
    });
  }).listen(0, "127.0.0.1");
  afterFile(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  const headers = { Authorization: "Bearer t", "X-Name": "Zoé" };
  const place = proxied({
    upstream: { url: `http://127.0.0.1:${port}/mcp`, headers },
    sessionId: "s",
    ...options,
  });
  afterFile(() => place.proxy.close());
  await shakeHands(place.client);
  const call = (name = "x", args?: object): Promise<Rpc> => callTool(place.client, name, args);
  return { ...place, seen, call };
}
