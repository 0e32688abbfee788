/** An agent and a graph that offload, drill in and resume; run in a folder with one set of peers. */
import assert from "node:assert/strict";

import { AIMessage } from "@langchain/core/messages";
import { MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { createAgent, tool } from "langchain";
import { memoryStore, offloadMiddleware, offloadToolNode } from "langchain-offload";
import { scriptedModel } from "langchain-offload/testing";

const rows = Array.from({ length: 2000 }, (_, id) => ({ id, city: id % 2 ? "Rome" : "Oslo" }));
const listRows = tool(() => JSON.stringify(rows), { name: "list_rows", description: "All rows." });
const question = { messages: [{ role: "user", content: "How many in Rome?" }] };
const store = memoryStore();
const stored = (messages) => messages.find(({ artifact }) => artifact?.id !== undefined)?.artifact;
const countRome = (messages) => ({
  name: "jq_tool_output",
  args: {
    id: stored(messages).id,
    filter: 'map(select(.city == "Rome")) | length',
    slurp: true,
  },
});

const agent = createAgent({
  model: scriptedModel([
    (messages) => ({
      toolCalls: stored(messages) ? [countRome(messages)] : [{ name: "list_rows", args: {} }],
    }),
    (messages) => messages.at(-1).text,
  ]),
  tools: [listRows],
  middleware: [offloadMiddleware({ store })],
  checkpointer: new MemorySaver(),
});
const thread = { configurable: { thread_id: "peers" } };
const first = await agent.invoke(question, thread);
assert.match(first.messages.at(-1).text, /"offloaded":true/);
const { values } = await agent.graph.getState(thread);
assert.deepEqual(Object.keys(values._offloads), [stored(first.messages).id]);
assert.ok(JSON.stringify(values).length < 20_000, "the data is no part of the checkpoint");
const second = await agent.invoke(question, thread);
assert.match(second.messages.at(-1).text, /^1000\b/);

const node = offloadToolNode([listRows], { store });
const called = (call) => ({
  messages: [new AIMessage({ content: "", tool_calls: [{ id: `call_${call.name}`, ...call }] })],
});
const graph = new StateGraph(MessagesAnnotation)
  .addNode("tools", node)
  .addEdge(START, "tools")
  .compile({ checkpointer: new MemorySaver() });
const other = { configurable: { thread_id: "graph" } };
const listed = await graph.invoke(called({ name: "list_rows", args: {} }), other);
const counted = await graph.invoke(called(countRome(listed.messages)), other);
assert.match(counted.messages.at(-1).text, /^1000\b/);
