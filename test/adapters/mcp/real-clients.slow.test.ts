import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { HumanMessage, ToolMessage } from "@langchain/core/messages";
import { MultiServerMCPClient } from "@langchain/mcp-adapters";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { createAgent } from "langchain";
import { afterAll, describe, expect, it } from "vitest";

import { scriptedModel } from "../../../src/testing/scripted-model.js";
import { EVERYTHING, everythingOverHttp, FILESYSTEM } from "./connections.js";

const MAIN = fileURLToPath(new URL("../../../dist/cli/main.js", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "mcp-clients-"));
const stored = join(folder, "stored");
const rows = Array.from({ length: 3000 }, (_, id) => ({
  id,
  city: id % 3 === 0 ? "Rome" : "Oslo",
}));
writeFileSync(join(folder, "rows.json"), JSON.stringify(rows));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const argsFor = (...server: string[]): string[] => [
  MAIN,
  "proxy",
  "--directory",
  stored,
  ...server,
];

describe("the official SDK's client", () => {
  it("lists, validates and reads through the command, over stdio", async () => {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: argsFor("--", process.execPath, FILESYSTEM, folder),
      stderr: "ignore",
    });
    const client = new Client({ name: "sdk", version: "1" });
    await client.connect(transport);
    expect(client.getServerVersion()?.name).toBe("secure-filesystem-server");
    const { tools } = await client.listTools();
    expect(tools.slice(-2).map(({ name }) => name)).toEqual(["read_tool_output", "lro_extract"]);
    const result = await client.callTool({
      name: "read_text_file",
      arguments: { path: join(folder, "rows.json") },
    });
    const descriptor = result.structuredContent as { file_path: string };
    const lines = readFileSync(descriptor.file_path, "utf8").trimEnd().split("\n");
    expect(lines.slice(1).map((line) => JSON.parse(line) as unknown)).toEqual(rows);
    const { content } = await client.callTool({
      name: "lro_extract",
      arguments: {
        file_path: descriptor.file_path,
        query: 'select(.city == "Rome" and .id > 2990)',
      },
    });
    expect(JSON.stringify(content)).toContain("2997");
    await client.close();
  });

  it("gets progress, cancels and lists resources, over HTTP", async () => {
    const { url, child } = await everythingOverHttp();
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: argsFor(url),
      stderr: "ignore",
    });
    const client = new Client({ name: "sdk", version: "1" });
    await client.connect(transport);
    const progress: number[] = [];
    const call = { name: "trigger-long-running-operation", arguments: { duration: 0.4, steps: 4 } };
    await client.callTool(call, undefined, { onprogress: (now) => progress.push(now.progress) });
    // The client drops the last one when the result is in the same chunk.
    expect(progress.slice(0, 3)).toEqual([1, 2, 3]);
    const stop = new AbortController();
    const slow = client.callTool({ ...call, arguments: { duration: 60 } }, undefined, {
      signal: stop.signal,
    });
    stop.abort("enough");
    await expect(slow).rejects.toThrow("enough");
    expect((await client.listResources()).resources.length).toBeGreaterThan(3);
    await client.close();
    child.kill();
  });
});

describe("an agent with MultiServerMCPClient", () => {
  it("reads a large file through the proxy, and counts in it without seeing it", async () => {
    const mcp = new MultiServerMCPClient({
      mcpServers: {
        files: {
          transport: "stdio",
          command: process.execPath,
          args: argsFor("--", process.execPath, FILESYSTEM, folder),
        },
        everything: {
          transport: "stdio",
          command: process.execPath,
          args: argsFor("--tools", "jq", "--", process.execPath, EVERYTHING, "stdio"),
        },
      },
    });
    const model = scriptedModel([
      { toolCalls: [{ name: "read_text_file", args: { path: join(folder, "rows.json") } }] },
      (messages) => {
        const text = messages.at(-1)?.text ?? "";
        const file = /\/[^"\\]*atlatl-read_text_file-\w+\.jsonl/.exec(text)?.[0] ?? "";
        const args = {
          file_path: file,
          query: '[., inputs] | map(select(.city == "Rome")) | length',
        };
        return { toolCalls: [{ name: "lro_extract", args }] };
      },
      (messages) => `Rome: ${messages.at(-1)?.text.split("\n")[0]}`,
    ]);
    const agent = createAgent({ model, tools: await mcp.getTools() });
    const { messages } = await agent.invoke({ messages: [new HumanMessage("How many in Rome?")] });
    expect(messages.at(-1)?.text).toBe("Rome: 1000");
    const read = messages.find((message) => ToolMessage.isInstance(message));
    expect(read?.text.length).toBeLessThan(8000);
    // The descriptor has at most three records of the set.
    expect(JSON.stringify(messages).split('\\"city\\"').length).toBeLessThan(20);
    expect(model.boundTools).toEqual(expect.arrayContaining(["echo", "jq_tool_output"]));
    await mcp.close();
  });
});
