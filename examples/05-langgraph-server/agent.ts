import { tool } from "@langchain/core/tools";
import { END, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { toolsCondition } from "@langchain/langgraph/prebuilt";
import { offloadToolNode } from "langchain-offload";
import { scriptedModel } from "langchain-offload/testing";

interface Ticket {
  readonly ticket: string;
  readonly state: string;
  readonly subject: string;
}

/** 3,000 tickets; every seventh is open. */
export const tickets: readonly Ticket[] = Array.from({ length: 3000 }, (_, index) => ({
  ticket: `T-${index + 1}`,
  state: index % 7 === 0 ? "open" : "closed",
  subject: `Delivery ${(index * 7919) % 100_000} is late`,
}));

const listTickets = tool(() => JSON.stringify(tickets), {
  name: "list_tickets",
  description: "All support tickets.",
});

const tools = offloadToolNode([listTickets]);

// Put a model of yours in its place: `await initChatModel(...)` from "langchain".
const model = scriptedModel([
  { toolCalls: [{ name: "list_tickets", args: {} }] },
  (messages) => ({
    toolCalls: [
      {
        name: "jq_tool_output",
        args: {
          id: JSON.parse(messages.at(-1)?.text ?? "{}").file_path,
          filter: 'map(select(.state == "open")) | length',
          slurp: true,
        },
      },
    ],
  }),
  (messages) => `${messages.at(-1)?.text.split("\n")[0]} tickets are open.`,
]);
const modelWithTools = model.bindTools?.(tools.tools) ?? model;

/** No checkpointer: the server brings its own. */
export const graph = new StateGraph(MessagesAnnotation)
  .addNode("model", async ({ messages }) => ({ messages: [await modelWithTools.invoke(messages)] }))
  .addNode("tools", tools)
  .addEdge(START, "model")
  .addConditionalEdges("model", toolsCondition, ["tools", END])
  .addEdge("tools", "model")
  .compile();
