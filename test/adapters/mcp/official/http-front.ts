import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";

import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";

/** A program that speaks over standard streams, reached over HTTP: each session starts it anew. */
export interface HttpFront {
  readonly url: string;
  close(): Promise<void>;
}

/** Puts HTTP in front of a program, for clients that speak nothing else. */
export async function httpFront(args: readonly string[]): Promise<HttpFront> {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const programs: StdioClientTransport[] = [];

  async function openSession(): Promise<StreamableHTTPServerTransport> {
    const front = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, front),
      enableDnsRebindingProtection: true,
      allowedHosts: [`127.0.0.1:${port}`, `localhost:${port}`],
    });
    const program = new StdioClientTransport({
      command: process.execPath,
      args: [...args],
      stderr: "ignore",
    });
    programs.push(program);
    // Transports of the SDK have no other way to be listened to.
    Object.assign(front, { onmessage: (message: JSONRPCMessage) => void program.send(message) });
    Object.assign(program, {
      onmessage: (message: JSONRPCMessage) => void front.send(message).catch(() => undefined),
    });
    await Promise.all([front.start(), program.start()]);
    return front;
  }

  const server: Server = createServer((request, response) => {
    const id = request.headers["mcp-session-id"];
    void Promise.resolve(sessions.get(String(id)) ?? openSession()).then((front) =>
      front.handleRequest(request, response),
    );
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async close() {
      server.closeAllConnections();
      server.close();
      await Promise.all(programs.map((program) => program.close()));
    },
  };
}
