import { HumanMessage } from "@langchain/core/messages";
import { END, MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { toolsCondition } from "@langchain/langgraph/prebuilt";
import { describe, expect, it, onTestFinished } from "vitest";

import { ageMessages, shownMessages } from "../../../../src/adapters/langchain/aging/index.js";
import { createDrillInTools } from "../../../../src/adapters/langchain/drill-in-tools.js";
import { offloadToolNode } from "../../../../src/adapters/langchain/offload-tool-node.js";
import type { OffloadEvent } from "../../../../src/events.js";
import { createOffloader } from "../../../../src/offload/create-offloader.js";
import { memoryStore } from "../../../../src/store/memory.js";
import { scriptedModel } from "../../../../src/testing/scripted-model.js";
import {
  aged,
  breaksIn,
  pageOf,
  pages,
  readPage,
  readsBack,
  soon,
  sent,
  toolContents,
} from "./rig.js";

describe("aging in a graph written by hand", () => {
  it("shows lines, keeps the results in the state, and reads them back", async () => {
    const events: OffloadEvent[] = [];
    const offloader = createOffloader({
      store: memoryStore(),
      aging: soon,
      onEvent: (event) => events.push(event),
    });
    onTestFinished(() => offloader.close());
    const model = scriptedModel([...pages(12), readsBack(0), "Done."]);
    const tools = [readPage, ...createDrillInTools(offloader)];
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("model", async ({ messages }, config) => {
        const { shown, update } = await ageMessages(offloader, messages, config);
        return { messages: [...update, await model.invoke(shown)] };
      })
      .addNode("tools", offloadToolNode(tools, { offloader }))
      .addEdge(START, "model")
      .addConditionalEdges("model", toolsCondition, { tools: "tools", [END]: END })
      .addEdge("tools", "model")
      .compile({ checkpointer: new MemorySaver() });
    const config = { configurable: { thread_id: "one" }, recursionLimit: 100 };
    const { messages } = await graph.invoke({ messages: [new HumanMessage("Read.")] }, config);

    expect(toolContents(messages).slice(0, 12)).toEqual(pages(12).map((_, page) => pageOf(page)));
    expect(toolContents(messages).at(-1)).toContain(pageOf(0));
    expect(breaksIn(model.requests)).toBe(aged(events).length);
    expect(aged(events).length).toBeGreaterThan(0);
    const last = sent(model.requests.at(-1));
    expect(sent(shownMessages(messages)).slice(0, last.length)).toEqual(last);
  });

  it("stores a result again from the state of the graph when the store has lost it", async () => {
    const store = memoryStore();
    const offloader = createOffloader({ store, aging: soon });
    onTestFinished(() => offloader.close());
    const model = scriptedModel([
      ...pages(8),
      async (messages) => {
        await store.sweep(Infinity);
        return readsBack(0)(messages);
      },
    ]);
    const tools = [readPage, ...createDrillInTools(offloader)];
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("model", async ({ messages }, config) => {
        const { shown, update } = await ageMessages(offloader, messages, config);
        return { messages: [...update, await model.invoke(shown)] };
      })
      .addNode("tools", offloadToolNode(tools, { offloader }))
      .addEdge(START, "model")
      .addConditionalEdges("model", toolsCondition, { tools: "tools", [END]: END })
      .addEdge("tools", "model")
      .compile({ checkpointer: new MemorySaver() });
    const config = { configurable: { thread_id: "one" }, recursionLimit: 100 };
    const { messages } = await graph.invoke({ messages: [new HumanMessage("Read.")] }, config);
    expect(toolContents(messages).at(-1)).toContain(pageOf(0));
  });

  it("says which option is missing", async () => {
    const offloader = createOffloader({ store: memoryStore() });
    onTestFinished(() => offloader.close());
    await expect(ageMessages(offloader, [])).rejects.toThrow("`aging`");
  });
});
