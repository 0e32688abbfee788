import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";
import { Command, MemorySaver } from "@langchain/langgraph";
import { createDeepAgent } from "deepagents";
import {
  type AgentMiddleware,
  ClearToolUsesEdit,
  contextEditingMiddleware,
  humanInTheLoopMiddleware,
  summarizationMiddleware,
} from "langchain";
import { describe, expect, it } from "vitest";

import { countShownTokens } from "../../../../src/adapters/langchain/aging/messages/shown-messages.js";
import { offloadMiddleware } from "../../../../src/adapters/langchain/offload-middleware.js";
import { memoryStore } from "../../../../src/store/memory.js";
import { scriptedModel, type ScriptedTurn } from "../../../../src/testing/scripted-model.js";
import {
  aged,
  breaksIn,
  idsShown,
  pageOf,
  pages,
  readPage,
  readsBack,
  rigOf,
  soon,
  toolContents,
} from "./rig.js";

const whole = (count: number): string[] => Array.from({ length: count }, (_, page) => pageOf(page));

/** Each call of a tool is answered by the messages right behind it. */
function expectPairs(messages: readonly BaseMessage[]): void {
  messages.forEach((message, place) => {
    const calls = AIMessage.isInstance(message) ? (message.tool_calls ?? []) : [];
    const answers = messages.slice(place + 1, place + 1 + calls.length);
    expect(
      answers.map((answer) => (ToolMessage.isInstance(answer) ? answer.tool_call_id : "none")),
    ).toEqual(calls.map(({ id }) => id));
  });
}

const clearing = (): AgentMiddleware =>
  contextEditingMiddleware({
    edits: [new ClearToolUsesEdit({ trigger: { tokens: 2_000 }, keep: { messages: 3 } })],
  });

describe("aging beside context editing", () => {
  it("keeps every result where it stands first", async () => {
    const { model, send } = rigOf([...pages(12), readsBack(0)], { after: [clearing()] });
    const messages = await send("Read.");
    expect(toolContents(messages).slice(0, 12)).toEqual(whole(12));
    expect(toolContents(messages).at(-1)).toContain(pageOf(0));
    for (const request of model.requests) expectPairs(request);
    expect(idsShown(model.requests.at(-1)).length).toBeGreaterThan(5);
  });
});

describe("aging beside summaries", () => {
  const summarizing = (counter?: (messages: BaseMessage[]) => number): AgentMiddleware =>
    summarizationMiddleware({
      model: scriptedModel(Array.from({ length: 20 }, () => "All that was said.")),
      trigger: { tokens: 5_000 },
      keep: { messages: 8 },
      ...(counter && { tokenCounter: counter }),
    } as never);
  const summaries = (messages: readonly BaseMessage[]): number =>
    messages.filter(({ content }) => JSON.stringify(content).includes("All that was said.")).length;

  it.each(["first", "last"])(
    "is not summed up where the counter sees it, standing %s",
    async (order) => {
      const other = [summarizing(countShownTokens)];
      const { model, send } = rigOf(
        pages(12),
        order === "first" ? { after: other } : { before: other },
      );
      const messages = await send("Read.");
      expect(summaries(messages)).toBe(0);
      expect(idsShown(model.requests.at(-1)).length).toBeGreaterThan(5);
    },
  );

  it.each(["first", "last"])("can be read after a summary, standing %s", async (order) => {
    const other = [summarizing()];
    let first = "";
    let asked = 0;
    // A summary takes the turns away by which a script counts.
    const next: ScriptedTurn = (messages) => {
      first ||= idsShown(messages)[0] ?? "";
      asked += 1;
      if (asked === 14) return { toolCalls: [{ name: "read_tool_output", args: { id: first } }] };
      if (asked > 14) return "Done.";
      return { toolCalls: [{ name: "read_page", args: { number: asked - 1 } }] };
    };
    const turns = Array.from({ length: 40 }, () => next);
    const { model, send } = rigOf(turns, order === "first" ? { after: other } : { before: other });
    const messages = await send("Read.");
    expect(summaries(messages)).toBeGreaterThan(0);
    for (const request of model.requests) expectPairs(request);
    expect(idsShown(messages)).not.toContain(first);
    expect(toolContents(messages).at(-1)).toBe(`The whole output, 30 lines:\n${pageOf(0)}`);
  });
});

describe("aging in other agents", () => {
  it.each(["first", "last"])("waits with a person who approves, standing %s", async (order) => {
    const checkpointer = new MemorySaver();
    const other = [humanInTheLoopMiddleware({ interruptOn: { read_page: true } } as never)];
    const { agent, model, events } = rigOf(pages(8), {
      ...(order === "first" ? { after: other } : { before: other }),
      checkpointer,
    });
    const config = { configurable: { thread_id: "one" }, recursionLimit: 200 };
    await agent.invoke({ messages: "Read." }, config);
    for (let turn = 0; turn < 8; turn += 1) {
      const resume = { decisions: [{ type: "approve" }] };
      await agent.invoke(new Command({ resume }), config);
    }
    expect(breaksIn(model.requests)).toBe(aged(events).length);
    expect(aged(events).length).toBeGreaterThan(0);
    expect(toolContents(model.requests.at(-1)).at(-1)).toBe(pageOf(7));
  });

  it("works in a deep agent and in its sub-agent", async () => {
    const store = memoryStore();
    const middleware = (): AgentMiddleware[] => [offloadMiddleware({ aging: soon, store })];
    const subModel = scriptedModel([...pages(8), readsBack(0), "Read it all."]);
    const model = scriptedModel([
      ...pages(8),
      { toolCalls: [{ name: "task", args: { description: "Read.", subagent_type: "reader" } }] },
      readsBack(0),
      "Done.",
    ]);
    const agent = createDeepAgent({
      model,
      tools: [readPage],
      middleware: middleware(),
      subagents: [
        {
          name: "reader",
          description: "Reads.",
          systemPrompt: "Read.",
          model: subModel,
          tools: [readPage],
          middleware: middleware(),
        },
      ],
      checkpointer: new MemorySaver(),
    });
    await agent.invoke(
      { messages: [{ role: "user", content: "Read." }] },
      { configurable: { thread_id: "one" }, recursionLimit: 200 },
    );
    for (const one of [model, subModel]) {
      expect(toolContents(one.requests.at(-1)).at(-1)).toContain(pageOf(0));
      for (const request of one.requests) expectPairs(request);
    }
  });
});
