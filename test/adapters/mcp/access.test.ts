import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { describe, expect, it } from "vitest";

import { offloadServer } from "../../../src/adapters/mcp/index.js";
import { memoryStore } from "../../../src/core/store/memory.js";
import { openedOffloaders } from "../../opened-offloaders.js";

const opened = openedOffloaders();

describe("a connection over MCP", () => {
  it("reads by tool what the rule opens while it does; without a session nothing is asked", async () => {
    const store = memoryStore();
    const { offloader: owner } = opened({ store });
    const put = async (text: string): Promise<string> =>
      (await owner.put(text, { sessionId: "owner" })).storedArtifact.id;
    const [shared, other] = [await put("what is shared"), await put("what is not")];
    const open = new Set([shared]);
    const asked: string[] = [];
    const connect = async (session: { sessionId?: string }) => {
      const server = new McpServer({ name: "author", version: "1.0.0" });
      server.registerTool("hello", {}, () => ({ content: [{ type: "text", text: "hello" }] }));
      const offloader = offloadServer(server, {
        ...session,
        store,
        access: ({ sessionId, artifactId }) => {
          asked.push(sessionId);
          return open.has(artifactId) ? ["owner"] : [];
        },
      });
      const client = new Client({ name: "c", version: "1" });
      const [ours, theirs] = InMemoryTransport.createLinkedPair();
      await Promise.all([server.connect(theirs), client.connect(ours)]);
      const byTool = async (id: string): Promise<string> =>
        JSON.stringify(await client.callTool({ name: "read_tool_output", arguments: { id } }));
      const close = async (): Promise<void> => {
        await client.close();
        await offloader.close();
      };
      return { byTool, close };
    };

    const reader = await connect({ sessionId: "reader" });
    expect(await reader.byTool(shared)).toContain("what is shared");
    expect(await reader.byTool(other)).not.toContain("what is not");
    expect(new Set(asked)).toEqual(new Set(["reader"]));

    asked.length = 0;
    const nameless = await connect({});
    expect(await nameless.byTool(shared)).not.toContain("what is shared");
    expect(asked).toEqual([]);

    open.clear();
    expect(await reader.byTool(shared)).not.toContain("what is shared");
    await reader.close();
    await nameless.close();
  });
});
