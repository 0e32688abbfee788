import { once } from "node:events";
import { createServer, type Server as HttpServer } from "node:http";

import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { CallToolRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const rows = JSON.stringify(Array.from({ length: 3000 }, (_, row) => ({ row, city: "Rome" })));

/** A server whose tool gives a large result. */
function rowsServer(): Server {
  const server = new Server({ name: "rows", version: "1.0.0" }, { capabilities: { tools: {} } });
  server.setRequestHandler(CallToolRequestSchema, () => ({
    content: [{ type: "text", text: rows }],
  }));
  return server;
}

/** The same over streamable HTTP, without sessions, and its address. */
export async function rowsServerOverHttp(): Promise<{ url: string; http: HttpServer }> {
  const http = createServer((request, response) => {
    const transport = new StreamableHTTPServerTransport({});
    void rowsServer()
      .connect(transport as Transport)
      .then(() => transport.handleRequest(request, response));
  }).listen(0, "127.0.0.1");
  await once(http, "listening");
  const { port } = http.address() as { port: number };
  return { url: `http://127.0.0.1:${port}/mcp`, http };
}
