import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
  ToolMessage,
  type ToolMessageFields,
} from "@langchain/core/messages";
import { END, MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { toolsCondition } from "@langchain/langgraph/prebuilt";
import { describe, expect, it, onTestFinished } from "vitest";

import {
  ageMessages,
  aging,
  shownMessages,
} from "../../../../src/adapters/langchain/aging/index.js";
import {
  createDrillInTools,
  createOffloader,
  memoryStore,
  type Offloader,
  type OffloadEvent,
  offloadToolNode,
} from "../../../../src/index.js";
import { type ScriptedModel, scriptedModel } from "../../../../src/testing/scripted-model.js";
import {
  aged,
  breaksIn,
  pageOf,
  pages,
  readPage,
  readsBack,
  sent,
  soon,
  toolContents,
} from "./rig.js";
import { thread } from "../../agents.js";

/** What a graph has in its state after it was told to read. */
async function messagesOfGraph(
  offloader: Offloader,
  model: ScriptedModel,
): Promise<readonly BaseMessage[]> {
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
  return messages;
}

describe("aging in a graph written by hand", () => {
  it("says what to list where an offloader does not age", async () => {
    const result = ageMessages(createOffloader({ store: memoryStore() }), []);
    await expect(result).rejects.toMatchObject({ code: "INVALID_OPTIONS" });
  });

  it("shows lines, keeps the results in the state, and reads them back", async () => {
    const events: OffloadEvent[] = [];
    const offloader = createOffloader({
      store: memoryStore(),
      plugins: [aging(soon)],
      onEvent: (event) => events.push(event),
    });
    onTestFinished(() => offloader.close());
    const model = scriptedModel([...pages(12), readsBack(0), "Done."]);
    const messages = await messagesOfGraph(offloader, model);

    expect(toolContents(messages).slice(0, 12)).toEqual(pages(12).map((_, page) => pageOf(page)));
    expect(toolContents(messages).at(-1)).toContain(pageOf(0));
    expect(breaksIn(model.requests)).toBe(aged(events).length);
    expect(aged(events).length).toBeGreaterThan(0);
    const last = sent(model.requests.at(-1));
    expect(sent(shownMessages(messages)).slice(0, last.length)).toEqual(last);
  });

  describe("with results as no agent makes them", () => {
    /** A conversation of so many results, and what it is shown as. */
    async function shownOf(
      fields: (page: number) => Partial<ToolMessageFields>,
      { offloader = createOffloader({ store: memoryStore(), plugins: [aging(soon)] }) } = {},
    ): Promise<unknown[]> {
      onTestFinished(() => offloader.close());
      const turns = Array.from({ length: 8 }, (_, page) => {
        const call = { name: "read_page", args: { page }, id: "same" };
        const result = { id: `result_${page}`, content: pageOf(page), tool_call_id: call.id };
        return [
          new AIMessage({ id: `answer_${page}`, content: "", tool_calls: [call] }),
          new ToolMessage({ ...result, ...fields(page) }),
        ];
      });
      const messages = [new HumanMessage("Read."), ...turns.flat(), new AIMessage("Well.")];
      const config = thread("one");
      return toolContents((await ageMessages(offloader, messages, config)).shown);
    }

    it("leaves those that a stored text could not give back whole", async () => {
      const broken = (page: number) => ({
        content:
          page === 0
            ? `${pageOf(page)}\ud800`
            : page === 1
              ? `\ufeff${pageOf(page)}`
              : pageOf(page),
      });
      const shown = await shownOf(broken);
      const isAged = shown.map((content) => String(content).startsWith("[aged: "));
      expect(isAged.slice(0, 3)).toEqual([false, false, true]);
    });
  });
});
