/**
 * A client of the official SDK that does what the conformance package's client scenarios ask for:
 * `node conformance-client.mjs [--proxy] URL`. With `--proxy` it goes through the proxy.
 */
import { fileURLToPath } from "node:url";

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const MAIN = fileURLToPath(new URL("../../../../dist/cli/main.js", import.meta.url));
const url = process.argv.at(-1);
const transport = process.argv.includes("--proxy")
  ? new StdioClientTransport({
      command: process.execPath,
      args: [MAIN, "proxy", url],
      stderr: "inherit",
    })
  : new StreamableHTTPClientTransport(new URL(url));
const client = new Client(
  { name: "conformance-client", version: "1.0.0" },
  { capabilities: { elicitation: { form: { applyDefaults: true } } } },
);
client.setRequestHandler(ElicitRequestSchema, () => ({ action: "accept", content: {} }));
await client.connect(transport);
const { tools } = await client.listTools();
for (const { name } of tools) {
  if (name === "lro_extract" || name === "read_tool_output") continue;
  await client.callTool({ name, arguments: name === "add_numbers" ? { a: 5, b: 3 } : {} });
}
await client.close();
