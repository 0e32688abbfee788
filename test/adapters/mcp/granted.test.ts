import { randomBytes } from "node:crypto";

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { describe, expect, it } from "vitest";

import { lroServerExtension } from "../../../src/adapters/mcp/index.js";
import { memoryStore } from "../../../src/store/memory.js";
import { openedOffloaders } from "../../opened-offloaders.js";

const opened = openedOffloaders();
const grants = { keys: [{ id: "k", secret: randomBytes(32) }] };

/** A client of a server whose connection has tokens, over the store of another session. */
async function readerOf(store: ReturnType<typeof memoryStore>, offloadGrants: readonly string[]) {
  const server = new McpServer({ name: "author", version: "1.0.0" });
  server.registerTool("hello", {}, () => ({ content: [{ type: "text", text: "hello" }] }));
  const own = { store, grants, sessionId: "reader", resources: true, offloadGrants };
  const offloader = lroServerExtension(server, own);
  const client = new Client({ name: "c", version: "1" });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(theirs), client.connect(ours)]);
  return { client, offloader };
}

describe("a connection over MCP with tokens", () => {
  it("reads what is granted to it by tool and by address until that is revoked, and lists none of it", async () => {
    const store = memoryStore();
    const { offloader: owner } = opened({ store, grants });
    const put = async (text: string): Promise<string> =>
      (await owner.put(text, { sessionId: "owner" })).storedArtifact.id;
    const [granted, other] = [await put("what is granted"), await put("what is not")];
    const request = { sessionId: "owner", to: "reader", outputs: [granted] };
    const token = await owner.grantTo(request);
    const { client, offloader } = await readerOf(store, [token]);
    const byTool = async (id: string): Promise<string> =>
      JSON.stringify(await client.callTool({ name: "read_tool_output", arguments: { id } }));
    const byAddress = async (id: string): Promise<string> =>
      JSON.stringify(await client.readResource({ uri: `offload://tool-output/${id}` }));

    expect(await byTool(granted)).toContain("what is granted");
    expect(await byAddress(granted)).toContain("what is granted");
    expect(await byTool(other)).not.toContain("what is not");
    await expect(byAddress(other)).rejects.toThrow("No stored output");
    expect((await client.listResources()).resources).toEqual([]);

    await owner.revoke(token);
    expect(await byTool(granted)).not.toContain("what is granted");
    await expect(byAddress(granted)).rejects.toThrow("No stored output");
    await client.close();
    await offloader.close();
  });
});
