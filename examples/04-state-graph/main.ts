/** A graph written by hand keeps 5,000 readings out of its messages and answers two questions on them. */
import { ok, strictEqual } from "node:assert";

import { type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { END, MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { toolsCondition } from "@langchain/langgraph/prebuilt";
import { offloadToolNode } from "langchain-offload";
import { scriptedModel } from "langchain-offload/testing";

const readings = Array.from({ length: 5000 }, (_, index) => ({
  sensor: `s-${index % 40}`,
  celsius: 15 + ((index * 7919) % 200) / 10,
  at: new Date(Date.UTC(2026, 0, 1) + index * 60_000).toISOString(),
}));

const listReadings = tool(() => JSON.stringify(readings), {
  name: "list_readings",
  description: "All sensor readings of today.",
});

/** Where the first tool message of the conversation says that the output is. */
const storedAt = (messages: readonly BaseMessage[]): string =>
  JSON.parse(messages.find(({ type }) => type === "tool")?.text ?? "{}").file_path;
const askJq = (messages: readonly BaseMessage[], filter: string) => ({
  toolCalls: [{ name: "jq_tool_output", args: { id: storedAt(messages), filter, slurp: true } }],
});
const answer = (messages: readonly BaseMessage[]) => messages.at(-1)?.text.split("\n")[0] ?? "";

const model = scriptedModel([
  (messages) =>
    messages.some(({ type }) => type === "tool")
      ? askJq(messages, "map(.sensor) | unique | length")
      : { toolCalls: [{ name: "list_readings", args: {} }] },
  (messages) =>
    messages.at(-1)?.text.startsWith("{")
      ? askJq(messages, "map(.celsius) | max")
      : `${answer(messages)} sensors.`,
  (messages) => `${answer(messages)} degrees.`,
]);

const tools = offloadToolNode([listReadings]);
// `tools.tools` are yours and the drill-in tools.
const modelWithTools = model.bindTools?.(tools.tools) ?? model;

const graph = new StateGraph(MessagesAnnotation)
  .addNode("model", async ({ messages }) => ({ messages: [await modelWithTools.invoke(messages)] }))
  .addNode("tools", tools)
  .addEdge(START, "model")
  .addConditionalEdges("model", toolsCondition, ["tools", END])
  .addEdge("tools", "model")
  .compile({ checkpointer: new MemorySaver() });

const thread = { configurable: { thread_id: "greenhouse" } };
for (const question of ["How hot did it get?", "How many sensors are there?"]) {
  const { messages } = await graph.invoke({ messages: [new HumanMessage(question)] }, thread);
  console.log(`${question} ${messages.at(-1)?.text}`);
}

const { messages } = (await graph.getState(thread)).values;
const checkpointed = JSON.stringify(messages).length;
console.log(`Output: ${JSON.stringify(readings).length} characters; thread: ${checkpointed}`);
const hottest = Math.max(...readings.map(({ celsius }) => celsius));
ok(messages.some(({ text }: BaseMessage) => text === `${hottest} degrees.`));
strictEqual(messages.at(-1).text, "40 sensors.");
ok(checkpointed < JSON.stringify(readings).length / 10);
await tools.offloader.close();
