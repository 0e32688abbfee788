import { loadMcpTools } from "@langchain/mcp-adapters";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { sessionKeyOf } from "../../src/index.js";
import { openedOffloaders } from "../opened-offloaders.js";
import { agentOf, calling, thread } from "./agents.js";
import { toolMessages } from "./large-outputs.js";

const opened = openedOffloaders();
const rows = Array.from({ length: 1500 }, (_, id) => ({ id, city: "Rome" }));
const data = { rows };
const text = (value: string): { type: "text"; text: string } => ({ type: "text", text: value });

const RESULTS: Readonly<Record<string, CallToolResult>> = {
  copy: { content: [text(JSON.stringify(data, undefined, 2))], structuredContent: data },
  small: { content: [text('{"ok":true}')], structuredContent: { ok: true } },
  failed: { content: [text("no such table")], isError: true },
};

const client = new Client({ name: "test", version: "1.0.0" });
const server = new McpServer({ name: "test", version: "1.0.0" });
for (const [name, result] of Object.entries(RESULTS)) {
  server.registerTool(name, { description: `Gives ${name}.` }, () => result);
}
beforeAll(async () => {
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(serverSide), client.connect(clientSide)]);
});
afterAll(async () => {
  await client.close();
  await server.close();
});

/** What comes of a call: the message, and what was stored without its header line. */
const call = async (name: string, useStandardContentBlocks = false) => {
  const { offloader } = opened({ threshold: { tokens: 1600 } });
  const tools = await loadMcpTools("test", client, { useStandardContentBlocks });
  const agent = agentOf([calling(name)], tools, { offloader });
  const { messages } = await agent.invoke({ messages: "go" }, thread("t"));
  const [message = expect.fail()] = toolMessages(messages);
  const [artifact] = (await offloader.store.list(sessionKeyOf("t"))).artifacts;
  const bytes = artifact && (await offloader.store.read(artifact)).subarray(artifact.headerBytes);
  return { message, stored: Buffer.from(bytes ?? []).toString(), artifact };
};
const lines = (values: readonly unknown[]): string =>
  values.map((value) => `${JSON.stringify(value)}\n`).join("");

describe("a tool of an MCP server", () => {
  it.each([false, true])(
    "has structured content stored once, as records (standard content blocks: %s)",
    async (standard) => {
      const called = await call("copy", standard);
      expect(called.stored).toBe(lines(rows));
      expect(called.artifact).toMatchObject({ layout: "records", recordCount: 1500 });
      expect(typeof called.message.content).toBe("string");
      expect(JSON.stringify(called.message)).not.toContain('\\"id\\":700');
    },
  );

  it("leaves small results and errors as they are", async () => {
    const small = await call("small");
    expect(small.message.text).toContain('"structuredContent":{"ok":true}');
    expect(small.artifact).toBeUndefined();
    const failed = await call("failed");
    expect(failed.message).toMatchObject({ status: "error" });
    expect(failed.message.text).toContain("no such table");
  });
});
