import type { ClientCapabilities, Implementation } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, it } from "vitest";
import * as z from "zod";

import { type OffloadServerOptions, OFFLOAD_EXTENSION } from "../../../src/adapters/mcp/index.js";
import { redact } from "../../../src/plugins/redact/redact.js";
import { memoryStore } from "../../../src/core/store/memory.js";
import { openedOffloaders } from "../../opened-offloaders.js";
import { authorServer, CLIENT, clientOf } from "./sdk-pair.js";

const rows = Array.from({ length: 2000 }, (_, id) => ({ id, city: "Rome" }));
const all = JSON.stringify(rows);

/** A server with a tool whose output has a schema. */
function rowsServer(options: OffloadServerOptions = {}) {
  const { server } = authorServer("hello", options);
  const rowSchema = z.object({ id: z.number(), city: z.string() });
  const outputSchema = { rows: z.array(rowSchema) };
  server.registerTool("rows", { description: "All rows.", outputSchema }, () => ({
    content: [{ type: "text", text: all }],
    structuredContent: { rows },
  }));
  return server;
}

const textOf = (result: unknown): string =>
  (result as { content: { text: string }[] }).content[0]?.text ?? "";

describe("offloadServer", () => {
  it("gives a proxy everything inline, by either mark, though the SDK drops the first", async () => {
    const marks: [Implementation, ClientCapabilities][] = [
      [{ ...CLIENT, proxy: true } as Implementation, {}],
      [CLIENT, { extensions: { [OFFLOAD_EXTENSION]: { proxy: true } } }],
    ];
    for (const [info, capabilities] of marks) {
      const server = rowsServer();
      const client = await clientOf(server, info, capabilities);
      expect(server.server.getClientVersion()).not.toHaveProperty("proxy");
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toEqual(["hello", "rows"]);
      expect(textOf(await client.callTool({ name: "rows" }))).toBe(all);
    }
  });

  it.each([
    ["passes, as without us, when nothing is cleaned", []],
    ["is an error, when it cannot be cleaned", [redact((text) => text)]],
  ])("an answer that JSON cannot hold %s", async (_name, plugins) => {
    const { server } = authorServer("hello", { plugins });
    server.registerTool("count", { description: "Counts." }, () => ({
      content: [{ type: "text", text: "many" }],
      structuredContent: { rows: 5n },
    }));
    const client = await clientOf(server);
    for (let call = 0; call < 2; call += 1) {
      const answer = client.callTool({ name: "count" }, undefined, { timeout: 2_000 });
      if (plugins.length > 0) await expect(answer).rejects.toThrow("cannot be written as JSON");
      else expect(textOf(await answer)).toBe("many");
    }
  });

  it("keeps an onmessage that the transport has already (T2)", async () => {
    const heard: unknown[] = [];
    const client = await clientOf(rowsServer(), CLIENT, {}, (theirs) => {
      // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a transport is no event target.
      theirs.onmessage = (message) => heard.push("method" in message && message.method);
    });
    await client.callTool({ name: "hello" });
    expect(heard).toEqual(["initialize", "notifications/initialized", "tools/call"]);
  });
});

const opened = openedOffloaders();

it("a connection over MCP reads by tool what the rule opens while it does; without a session nothing is asked", async () => {
  const store = memoryStore();
  const { offloader: owner } = opened({ store });
  const put = async (text: string): Promise<string> =>
    (await owner.put(text, { sessionId: "owner" })).storedArtifact.id;
  const [shared, other] = [await put("what is shared"), await put("what is not")];
  const open = new Set([shared]);
  const asked: string[] = [];
  const readerOf = async (session: { sessionId?: string }) => {
    const { server } = authorServer("hello", {
      ...session,
      store,
      access: ({ sessionId, artifactId }) => {
        asked.push(sessionId);
        return open.has(artifactId) ? ["owner"] : [];
      },
    });
    const client = await clientOf(server);
    return async (id: string): Promise<string> =>
      JSON.stringify(await client.callTool({ name: "read_tool_output", arguments: { id } }));
  };

  const reader = await readerOf({ sessionId: "reader" });
  expect(await reader(shared)).toContain("what is shared");
  expect(await reader(other)).not.toContain("what is not");
  expect(new Set(asked)).toEqual(new Set(["reader"]));

  asked.length = 0;
  const nameless = await readerOf({});
  expect(await nameless(shared)).not.toContain("what is shared");
  expect(asked).toEqual([]);

  open.clear();
  expect(await reader(shared)).not.toContain("what is shared");
});
