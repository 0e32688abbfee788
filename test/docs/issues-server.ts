/** A server of the Model Context Protocol whose one tool returns a long list. */
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";

const issues = Array.from({ length: 500 }, (_, id) => ({ id, state: id % 5 ? "done" : "open" }));
const server = new McpServer({ name: "issues", version: "1.0.0" });
server.registerTool("search_issues", { description: "All issues." }, () => ({
  content: [{ type: "text", text: JSON.stringify(issues) }],
}));
await server.connect(new StdioServerTransport());
