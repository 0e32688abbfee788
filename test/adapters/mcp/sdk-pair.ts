import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { ClientCapabilities, Implementation } from "@modelcontextprotocol/sdk/types.js";

import { offloadServer, type OffloadServerOptions } from "../../../src/adapters/mcp/index.js";
import type { Offloader } from "../../../src/core/pipeline/offloader.js";
import { memoryStore } from "../../../src/core/store/memory.js";
import { afterFile } from "../../after-file.js";

/** A server of the official SDK as an author writes it, with a tool that says hello, and its own offloading. */
export function authorServer(
  hello: string,
  options: OffloadServerOptions = {},
): { readonly server: McpServer; readonly offloader: Offloader } {
  const server = new McpServer({ name: "author", version: "1.0.0" });
  const offloader = offloadServer(server, { store: memoryStore(), ...options });
  afterFile(() => offloader.close());
  server.registerTool("hello", { description: "Says hello." }, () => ({
    content: [{ type: "text", text: hello }],
  }));
  return { server, offloader };
}

export const CLIENT: Implementation = { name: "c", version: "1" };

/** A client of the official SDK in the server's process. */
export async function clientOf(
  server: McpServer,
  info: Implementation = CLIENT,
  capabilities: ClientCapabilities = {},
  change: (theirs: InMemoryTransport) => void = () => {},
): Promise<Client> {
  const client = new Client(info, { capabilities });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  change(theirs);
  await Promise.all([server.connect(theirs), client.connect(ours)]);
  afterFile(() => client.close());
  return client;
}
