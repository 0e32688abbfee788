import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { HumanMessage, ToolMessage } from "@langchain/core/messages";
import { MultiServerMCPClient } from "@langchain/mcp-adapters";
import { createAgent } from "langchain";
import { afterAll, describe, expect, it } from "vitest";

import { scriptedModel } from "../../../src/testing/scripted-model.js";
import { EVERYTHING, FILESYSTEM } from "./connections.js";

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
