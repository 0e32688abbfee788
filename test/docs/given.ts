/** What the reader of a page has: names that its blocks use and do not declare. All of it is real. */
import { HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { createAgent } from "langchain";
import { createOffloader, memoryStore, offloadMiddleware } from "langchain-offload";
import { type ScriptedModel, scriptedModel } from "langchain-offload/testing";
import * as z from "zod";

export * from "langchain-offload";
export * from "langchain-offload/aging";
export * from "langchain-offload/deepagents";
export * from "langchain-offload/paging";
export * from "langchain-offload/presets";
export { tool, z };
export { createAgent } from "langchain";
export { MultiServerMCPClient } from "@langchain/mcp-adapters";

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
export const search = tool(
  ({ cursor }: { cursor?: string | undefined }) =>
    JSON.stringify({
      data: { items: rows.slice(0, 3) },
      ...(cursor === undefined && { next_cursor: "2" }),
    }),
  {
    name: "search",
    description: "One page.",
    schema: z.object({ cursor: z.string().optional() }),
  },
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

const steps = [{ toolCalls: [{ name: "list_orders", args: {} }] }, "Done."] as const;
/** A model of a provider can always bind tools. */
export const model = scriptedModel(steps) as ScriptedModel &
  Required<Pick<ScriptedModel, "bindTools">>;
export const myModel = { countTokens: (text: string): number => text.split(/\s+/).length };
export const checkpointer = new MemorySaver();
export const store = memoryStore();
export const myStore = memoryStore;
export const offloader = createOffloader({ store });
export const sessionId = "thread-1";
export const thread_id = "thread-1";
export const token = "secret";
export const grantKeys = [
  { id: "2026-11", secret: "at least 32 bytes, the same on every machine" },
];
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
