/**
 * What the reader of a page has of their own: a model, tools, a store, a session. Blocks may use it without declaring
 * it. Nothing of a package is among it: what a block uses of packages it imports. All of it is real.
 */
import { HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { createAgent } from "langchain";
import { createOffloader, memoryStore, offloadMiddleware } from "langchain-offload";
import { type ScriptedModel, scriptedModel } from "langchain-offload/testing";
import * as z from "zod";

export const schema = z.object({ query: z.string().optional() });
export const inputSchema = schema.shape;
const rows = Array.from({ length: 300 }, (_, id) => ({ id, state: id % 3 ? "open" : "closed" }));
export const ordersOf = async (month: string) => rows.map((row) => ({ ...row, month }));
export const toolOutput: string = JSON.stringify(rows);
export const searchOrders = (): string => toolOutput;
const named = (name: string) => tool(searchOrders, { name, description: "All rows.", schema });
export const listOrders = named("list_orders");
export const listFeatures = named("list_features");
export const searchIssues = named("search_issues");
export const tools = [listOrders];
const data = { items: rows.slice(0, 3) };
export const search = tool(
  ({ cursor }: { cursor?: string | undefined }) =>
    JSON.stringify({ data, ...(cursor === undefined && { next_cursor: "2" }) }),
  { name: "search", description: "One page.", schema: z.object({ cursor: z.string().optional() }) },
);
export const recall = async () => ({ content: [{ type: "text" as const, text: toolOutput }] });
export const memory = { search: async (query: string) => rows.map((row) => ({ ...row, query })) };
export const database = {
  query: (table: string) => ({
    stream: async function* rowsOf() {
      for (const row of rows) yield { ...row, table };
    },
  }),
};

/** Calls a tool of the agent, hands what was stored to `draw_chart` where there is one, and is done. */
export const model: ScriptedModel = scriptedModel([
  () => ({ toolCalls: [{ name: ownTool(model.boundTools), args: {} }] }),
  (seen) => {
    const id = /"file_path":\s*"([^"]+)/.exec(seen.at(-1)?.text ?? "")?.[1];
    const args = { points: { $output: id } };
    return id !== undefined && model.boundTools.includes("draw_chart")
      ? { toolCalls: [{ name: "draw_chart", args }] }
      : "Done.";
  },
]);
function ownTool(names: readonly string[]): string {
  return names.find((name) => !/^(\w+_tool_output|lro_extract)$/.test(name)) ?? "list_orders";
}
export const myModel = { countTokens: (text: string): number => text.split(/\s+/).length };
export const checkpointer = new MemorySaver();
export const store = memoryStore();
export const myStore = memoryStore;
export const offloader = createOffloader({ store });
export const sessionId = "thread-1";
export const thread_id = "thread-1";
export const token = "secret";
export const log: (event: unknown) => void = () => {};
export const input = { messages: [new HumanMessage("How many orders are open?")] };
export const agent = createAgent({
  model,
  tools,
  middleware: [offloadMiddleware({ offloader })],
});
export const myToolNode = new ToolNode([listOrders]);
export const fetchOrders = async () => ({ messages: [] });
export const builder = new StateGraph(MessagesAnnotation);
export const graph = new StateGraph(MessagesAnnotation)
  .addNode("model", async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
  .addEdge(START, "model")
  .compile({ checkpointer });

export const octokit = {
  paginate: async (_route: string, _params: object) =>
    Array.from({ length: 800 }, (_, index) => ({
      number: index + 1,
      title: `${["Parser fails", "Cache is stale", "Docs are wrong"][index % 3]} (${index})`,
      state: index % 4 === 0 ? "open" : "closed",
      user: { login: `user-${index % 40}` },
      body: "Steps to reproduce: run it twice.",
    })),
};
const cities = ["Oslo", "Lima", "Lima"];
const products = Array.from({ length: 900 }, (_, id) => ({
  id,
  city: cities[id % 3],
  amount: id / 2,
}));
export const pool = { query: async (_sql: string) => ({ rows: products }) };
export const readLog = async (): Promise<string> =>
  Array.from(
    { length: 4000 },
    (_, index) =>
      `2026-01-02T03:04:05Z ${index % 50 ? "INFO" : "ERROR"} request ${index} took ${index % 97} ms`,
  ).join("\n");
export const page = {
  content: async () =>
    `<html><body><h1>Prices</h1><table>${products
      .map(({ id, city }) => `<tr><td>${id}</td><td>${city}</td></tr>`)
      .join("")}</table></body></html>`,
};
const chapter = "The parties agree. ".repeat(40);
export const pdfPages = async (): Promise<readonly string[]> =>
  Array.from({ length: 120 }, (_, index) => `Chapter ${index}. ${chapter}`);
export const exportCsv = async (): Promise<string> =>
  ["id,city,amount", ...products.map((row) => Object.values(row).join())].join("\n");
export const ripgrep = async (pattern: string): Promise<string> =>
  Array.from(
    { length: 2500 },
    (_, index) => `src/file-${index % 90}.ts:${index}: ${pattern}()`,
  ).join("\n");
