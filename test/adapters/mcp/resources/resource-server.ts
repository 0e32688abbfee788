import { once } from "node:events";
import { createServer, type Server as HttpServer } from "node:http";

import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  CallToolRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ReadResourceRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";

const rows = JSON.stringify(Array.from({ length: 3000 }, (_, row) => ({ row, city: "Rome" })));

/** A server with the resources at these addresses, in pages of two, or without any; its tool gives a large result. */
function resourceServer(uris: readonly string[]): Server {
  const resources = uris.map((uri) => ({ uri, name: uri }));
  const server = new Server(
    { name: "resources", version: "1.0.0" },
    { capabilities: { tools: {}, ...(uris.length > 0 && { resources: {} }) } },
  );
  server.setRequestHandler(CallToolRequestSchema, () => ({
    content: [{ type: "text", text: rows }],
  }));
  if (uris.length === 0) return server;
  server.setRequestHandler(ListResourcesRequestSchema, ({ params }) => {
    const start = Number(params?.cursor ?? 0);
    const end = start + 2;
    const next = end < resources.length ? { nextCursor: String(end) } : {};
    return { resources: resources.slice(start, end), ...next };
  });
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: [{ uriTemplate: "test://{n}", name: "n" }],
  }));
  server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }) => ({
    contents: [{ uri, text: `the server's ${uri}` }],
  }));
  return server;
}

/** The same over streamable HTTP, without sessions, and its address. */
export async function resourceServerOverHttp(
  uris: readonly string[],
): Promise<{ url: string; http: HttpServer }> {
  const http = createServer((request, response) => {
    const transport = new StreamableHTTPServerTransport({});
    void resourceServer(uris)
      .connect(transport as Transport)
      .then(() => transport.handleRequest(request, response));
  }).listen(0, "127.0.0.1");
  await once(http, "listening");
  const { port } = http.address() as { port: number };
  return { url: `http://127.0.0.1:${port}/mcp`, http };
}
