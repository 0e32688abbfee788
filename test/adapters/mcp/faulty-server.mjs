/** An MCP server over standard streams whose tools go wrong in the ways that servers do. */
import { createInterface } from "node:readline";

const write = (message) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const text = (value) => ({ content: [{ type: "text", text: value }] });
const rows = (count) =>
  JSON.stringify(Array.from({ length: count }, (_, id) => ({ id, city: "Rome" })));
const cancelled = [];

const TOOLS = {
  echo: (id, { message }) => write({ id, result: text(message) }),
  rows: (id, { count }) => write({ id, result: text(rows(count)) }),
  die: () => process.exit(3),
  hang: () => undefined,
  half: (id) => {
    process.stdout.write(`{"jsonrpc":"2.0","id":${id},"result":{"content":[{"ty`, () =>
      process.exit(0),
    );
  },
  garbage: (id) => {
    process.stdout.write('listening on port 1\n{"level":"info"}\n\n');
    write({ id, result: text("after") });
  },
  stubborn: (id) => {
    process.on("SIGTERM", () => undefined);
    setInterval(() => undefined, 1000);
    write({ id, result: text("I stay") });
  },
  cancelled: (id) => write({ id, result: text(JSON.stringify(cancelled)) }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params = {} } = JSON.parse(line);
  if (method === "initialize") {
    write({
      id,
      result: {
        protocolVersion: "2025-11-25",
        capabilities: { tools: {} },
        serverInfo: { name: "f", version: "1" },
      },
    });
  } else if (method === "tools/list") {
    write({
      id,
      result: {
        tools: Object.keys(TOOLS).map((name) => ({ name, inputSchema: { type: "object" } })),
      },
    });
  } else if (method === "tools/call") TOOLS[params.name](id, params.arguments ?? {});
  else if (method === "notifications/cancelled") cancelled.push(params.requestId);
}
