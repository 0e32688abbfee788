import { answer, EVENTS, type Handler, JSON_TYPE, start } from "../adapters/mcp/scripted-http.js";
import { CANARY } from "./canary.js";
import { type Input, MANY, says, STORED } from "./inputs.js";
import { LOST, SESSION } from "./place.js";

/** What a server answers to methods, and what it says before it answers a call of a tool. */
type Make = (count: number) => Readonly<Record<string, object | readonly object[]>>;

const STORED_ID = /[0-7][0-9A-HJKMNP-TV-Z]{25}/g;
const content = [{ type: "text", text: "row" }];
const lines = (count: number) => [{ type: "text", text: says(count).join("\n") }];
const link = { type: "resource_link", uri: "a:b", name: CANARY };
const task = { taskId: "t1", status: "working" };
const failed = { ...task, status: "failed", statusMessage: CANARY };
const error = { error: { code: -32_000, message: CANARY, data: { at: CANARY } } };
const called = (result: object) => ({ "tools/call": { result } });
const first = (message: object) => ({
  ...called({ content }),
  first: [{ jsonrpc: "2.0", ...message }],
});
const ended = (result: object) => ({
  ...called({ task }),
  "tasks/get": { result: failed },
  "tasks/result": result,
});
const news = { method: "notifications/tasks/status", params: failed };
const log = { method: "notifications/message", params: { level: "info", data: CANARY } };
const progress = { progressToken: 1, progress: 1, message: CANARY };

/** Talks to a server through the proxy, and notes every line that the client gets. */
const over = (name: string, reaches: string, handler: Handler): Input => [
  `${name} over MCP`,
  `client ${reaches}`,
  async ({ options, note }) => {
    const onNotice: Handler = (message, ...more) =>
      message.method === "notifications/mine" && handler(message, ...more);
    const own = { ...options, sessionId: SESSION };
    const { client, call, warnings, proxy } = await start(handler, onNotice, own);
    for (const tool of [LOST, "small", "cut", "large"]) await call(tool, { query: CANARY });
    for (const method of ["tasks/get", "tasks/result", "prompts/get"]) {
      await client.request(method, { taskId: "t1" });
    }
    client.notify("notifications/mine");
    await client.request("resources/list");
    const ids = new Set(client.lines.join("\n").match(STORED_ID));
    for (const id of ids) await call("read_tool_output", { id });
    await proxy.close();
    note("client", client.lines);
    note("warning", warnings);
  },
];

const saying = (name: string, reaches: string, make: Make): Input =>
  over(name, reaches, ({ id, method = "", params }, response) => {
    const said = make(params?.["name"] === "small" ? 2 : MANY);
    const parts = [
      said["first"] ?? [],
      { jsonrpc: "2.0", id, ...(said[method] ?? { result: {} }) },
    ].flat();
    const events = parts.map((part) => `data: ${JSON.stringify(part)}\n\n`);
    response.writeHead(200, EVENTS).end(events.join(""));
  });

const refusing = (name: string, reaches: string, methods: RegExp): Input =>
  over(name, reaches, ({ id, method = "" }, response) =>
    methods.test(method)
      ? response.writeHead(500).end(`no ${CANARY}`)
      : response.writeHead(200, JSON_TYPE).end(answer(id, {})),
  );

/** What MCP servers say to a proxy. */
export const MCP_INPUTS: readonly Input[] = [
  saying("a result", STORED, (count) => called({ content: lines(count) })),
  saying("structured content", STORED, (count) =>
    called({ content, structuredContent: { rows: says(count) } }),
  ),
  saying("a block beside", "", () => called({ content: [...content, link] })),
  saying("what stands beside", "", () => called({ content, _meta: { note: CANARY } })),
  saying("an error in a result", "", (count) => called({ content: lines(count), isError: true })),
  saying("an error", "", () => ({ "tools/call": error })),
  saying("a task's result", STORED, (count) => ended({ result: { content: lines(count) } })),
  saying("a task's error", "", () => ended(error)),
  saying("news of a task", "", () => first(news)),
  saying("an answer nobody waits for", "", () => first({ id: 9, result: { content: lines(2) } })),
  saying("progress", "", () => first({ method: "notifications/progress", params: progress })),
  saying("a log", "", () => first(log)),
  saying("a prompt", "", () => ({ "prompts/get": { result: { description: CANARY } } })),
  refusing("a refusal", "warning", /^tools|mine$/),
  refusing("a refusal of a prompt", "", /^prompts/),
];
