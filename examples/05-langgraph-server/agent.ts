import type { BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { END, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { toolsCondition } from "@langchain/langgraph/prebuilt";
import { offloadToolNode } from "langchain-offload";
import { scriptedModel, type ScriptedReply } from "langchain-offload/testing";

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

/** Counts the tickets in one state, in the output that the thread's first tool message stands for. */
const count = (messages: readonly BaseMessage[], state: string): ScriptedReply => {
  const descriptor = messages.find(({ name }) => name === "list_tickets");
  const id = JSON.parse(descriptor?.text ?? "{}").file_path;
  const filter = `map(select(.state == "${state}")) | length`;
  return { toolCalls: [{ name: "jq_tool_output", args: { id, filter, slurp: true } }] };
};
const lastLine = (messages: readonly BaseMessage[]): string =>
  messages.at(-1)?.text.split("\n")[0] ?? "";

// Put a model of yours in its place: `await initChatModel(...)` from "langchain". This one loads the
// tickets for the first question, and drills into what was stored for the next.
const model = scriptedModel([
  (messages) =>
    messages.some(({ name }) => name === "list_tickets")
      ? count(messages, "closed")
      : { toolCalls: [{ name: "list_tickets", args: {} }] },
  (messages) =>
    messages.at(-1)?.name === "list_tickets"
      ? count(messages, "open")
      : `${lastLine(messages)} tickets are closed.`,
  (messages) => `${lastLine(messages)} tickets are open.`,
]);
const modelWithTools = model.bindTools?.(tools.tools) ?? model;

export const builder = new StateGraph(MessagesAnnotation)
  .addNode("model", async ({ messages }) => ({ messages: [await modelWithTools.invoke(messages)] }))
  .addNode("tools", tools)
  .addEdge(START, "model")
  .addConditionalEdges("model", toolsCondition, ["tools", END])
  .addEdge("tools", "model");

/** No checkpointer: the server brings its own. */
export const graph = builder.compile();
