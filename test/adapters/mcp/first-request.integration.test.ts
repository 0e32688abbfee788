import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

import { expect, it } from "vitest";

import { proxied, shakeHands } from "./connections.js";

/** A server over HTTP that answers everything with an empty result, and the stream that it is listened to by late. */
async function lateListener() {
  const seen: string[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method === "GET") {
      await new Promise((resolve) => setTimeout(resolve, 100));
      seen.push("listened to");
      response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
      return;
    }
    let body = "";
    for await (const chunk of request) body += String(chunk);
    if (body === "") return void response.end();
    const { id, method } = JSON.parse(body) as { id?: unknown; method: string };
    seen.push(method);
    if (id === undefined) return void response.writeHead(202).end();
    response.setHeader("content-type", "application/json");
    const result = { protocolVersion: "2025-11-25", capabilities: {} };
    response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
  };
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  return { server, seen, url: `http://127.0.0.1:${port}/mcp` };
}

it("makes the first request when the server is listened to, so that nothing that it asks is lost", async () => {
  const { server, seen, url } = await lateListener();
  const { client } = proxied({ upstream: { url } });
  await shakeHands(client);
  await client.request("tools/call", { name: "asks" });
  expect(seen).toEqual(["initialize", "notifications/initialized", "listened to", "tools/call"]);
  await client.close();
  server.closeAllConnections();
  server.close();
});
