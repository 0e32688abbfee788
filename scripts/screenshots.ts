/**
 * Takes the pictures of the page that the README and the docs show, from the page itself: `npx tsx scripts/screenshots.ts`, after a
 * build. An agent with a scripted model runs over fixed data, with a store and a journal.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import type { BaseMessage } from "@langchain/core/messages";
import { createAgent, tool } from "langchain";
import { createOffloader, fileStore, offloadMiddleware } from "langchain-offload";
import { journal } from "langchain-offload/journal";
import { scriptedModel } from "langchain-offload/testing";

import { readJournal } from "../src/plugins/journal/index.ts";
import { startInspector } from "../src/inspect/index.ts";
import { startBrowser } from "../test/inspect/browser.ts";
import { PICTURE_SOURCE, pictureSource } from "./picture-source.ts";

const built = resolve(import.meta.dirname, "../dist/inspect/page");
const pictures = resolve(import.meta.dirname, "../docs/public");

const issues = Array.from({ length: 900 }, (_, n) => ({
  number: n + 1,
  title: `The ${["cache", "parser", "socket"][n % 3]} ${["is stale", "leaks", "times out"][(n % 7) % 3]}`,
  state: n % 4 === 0 ? "open" : "closed",
  comments: (n * 7919) % 41,
  author: { login: `user${n % 40}` },
}));
const log = Array.from(
  { length: 1500 },
  (_, n) =>
    `2026-01-02 03:${String(n % 60).padStart(2, "0")}:05 ${n % 50 ? "INFO" : "ERROR"} request ${n} took ${(n * 31) % 900} ms`,
).join("\n");
const orders = `order,country,total\n${Array.from({ length: 1200 }, (_, n) => `${n},${["DE", "FR", "US"][n % 3]},${(n * 17) % 500}.5`).join("\n")}`;
const config = { region: "eu-west", retries: 3, notes: "Deploys go out on Tuesdays. ".repeat(30) };

const answers: Readonly<Record<string, unknown>> = {
  search_issues: issues,
  read_log: log,
  query_orders: orders,
  get_config: config,
  list_nodes: issues.map(({ number }) => ({
    node: `node-${number}`,
    cpu: number % 64,
    zone: number % 3,
  })),
};
const tools = Object.entries(answers).map(([name, answer]) =>
  tool(() => (typeof answer === "string" ? answer : JSON.stringify(answer)), {
    name,
    description: name,
  }),
);

/** The id of the stored output that a tool's message stands for. */
function idOf(messages: readonly BaseMessage[], toolName: string): string {
  const message = messages.find(({ type, name }) => type === "tool" && name === toolName);
  return /[0-7][0-9A-HJKMNP-TV-Z]{25}/.exec(message?.text ?? "")?.[0] ?? "";
}

const call =
  (name: string, args: object = {}) =>
  () => ({ text: `I call ${name}.`, toolCalls: [{ name, args: { ...args } }] });
const askOf = (of: string, name: string, args: object) => (messages: readonly BaseMessage[]) => ({
  text: `I ask the output of ${of}.`,
  toolCalls: [{ name, args: { id: idOf(messages, of), ...args } }],
});

const script = [
  call("get_config"),
  call("search_issues", { state: "all" }),
  askOf("search_issues", "jq_tool_output", {
    filter: "group_by(.state) | map({(.[0].state): length}) | add",
    slurp: true,
  }),
  askOf("search_issues", "jq_tool_output", {
    filter: 'select(.state == "open") | .title',
    limit: 20,
  }),
  call("read_log", { service: "api" }),
  askOf("read_log", "grep_tool_output", { pattern: "ERROR" }),
  askOf("read_log", "read_tool_output", { start_line: 100, end_line: 130 }),
  call("list_nodes"),
  call("query_orders", { year: 2025 }),
  askOf("query_orders", "jq_tool_output", {
    filter: "group_by(.country) | map({(.[0].country): length}) | add",
    slurp: true,
  }),
  call("get_config"),
  () => "Most issues are closed; the errors are timeouts.",
];

const directory = await mkdtemp(join(tmpdir(), "screenshots-"));
const store = join(directory, "outputs");
const offloader = createOffloader({
  store: fileStore({ directory: store }),
  plugins: [journal({ directory: join(directory, "journal") })],
});
const middleware = [offloadMiddleware({ offloader })];
const agent = createAgent({
  model: scriptedModel(script),
  tools,
  middleware,
  systemPrompt: "You look after a service. ".repeat(20),
});
await agent.invoke(
  { messages: [{ role: "user", content: "How is the service, and which issues are open?" }] },
  { configurable: { thread_id: "thread-1" }, recursionLimit: 100 },
);
await offloader.close();

const name = join(directory, "journal");
const inspector = await startInspector({
  directory: store,
  journal: readJournal(name),
  port: 0,
  now: Date.now,
  pageDirectory: built,
});
const browser = await startBrowser();
for (const scheme of ["light", "dark"] as const) {
  const page = await browser.newPage({
    viewport: { width: 1300, height: 1000 },
    colorScheme: scheme,
  });
  await page.goto(inspector.address);
  await page.getByText("What filled the context").waitFor();
  // Where it was made is nobody's.
  await page.evaluate('document.querySelector("header bdi").textContent = "outputs"');
  await page.screenshot({ path: join(pictures, `inspect-${scheme}.png`) });
  await page.close();
}
await browser.close();
await inspector.close();
await rm(directory, { recursive: true });
await writeFile(PICTURE_SOURCE, `${pictureSource()}\n`);
