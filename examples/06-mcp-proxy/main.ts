/** An agent reads a large file through the MCP proxy, and counts in it without seeing it. */
import { ok, strictEqual } from "node:assert";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { HumanMessage } from "@langchain/core/messages";
import { MultiServerMCPClient } from "@langchain/mcp-adapters";
import { createAgent } from "langchain";
import { scriptedModel } from "langchain-offload/testing";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "mcp-proxy-")));
const trips = Array.from({ length: 6000 }, (_, id) => ({
  id,
  line: `S${(id * 7) % 9}`,
  minutes: (id * 31) % 90,
  delayed: id % 8 === 0,
}));
writeFileSync(join(folder, "trips.json"), JSON.stringify(trips));

/** Outside this repository: `command: "npx"`, `args: ["-y", "langchain-offload", "proxy", …]`. */
const fileOf = (specifier: string): string => fileURLToPath(import.meta.resolve(specifier));
const proxy = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const server = fileOf("@modelcontextprotocol/server-filesystem/dist/index.js");
const mcp = new MultiServerMCPClient({
  mcpServers: {
    files: {
      transport: "stdio",
      command: process.execPath,
      args: [
        proxy,
        "proxy",
        "--directory",
        join(folder, "stored"),
        "--",
        process.execPath,
        server,
        folder,
      ],
      stderr: "ignore",
    },
  },
});

const model = scriptedModel([
  { toolCalls: [{ name: "read_text_file", args: { path: join(folder, "trips.json") } }] },
  (messages) => {
    const path = /[^"\\]+\/atlatl-read_text_file-\w+\.jsonl/.exec(messages.at(-1)?.text ?? "")?.[0];
    const query = "[., inputs] | map(select(.delayed)) | length";
    return { toolCalls: [{ name: "lro_extract", args: { file_path: path, query } }] };
  },
  (messages) => `${messages.at(-1)?.text.split("\n")[0]} trips were delayed.`,
]);

const agent = createAgent({ model, tools: await mcp.getTools() });
const { messages } = await agent.invoke({ messages: [new HumanMessage("How many were late?")] });
const answer = messages.at(-1)?.text;
const seen = messages.reduce((sum, { text }) => sum + text.length, 0);
console.log(answer);
console.log(`File: ${JSON.stringify(trips).length} characters; the model saw ${seen}`);
strictEqual(answer, "750 trips were delayed.");
ok(seen < JSON.stringify(trips).length / 20);
await mcp.close();
rmSync(folder, { recursive: true });
