import { type BaseMessage, type ToolMessage } from "@langchain/core/messages";
import { Command, interrupt, MemorySaver } from "@langchain/langgraph";
import { createAgent, tool } from "langchain";
import { afterEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { offloadToolNode } from "../../src/adapters/langchain/offload-tool-node.js";
import { createOffloader, offloadMiddleware, memoryStore, withOffload } from "../../src/index.js";
import { createMeasure } from "../../src/core/measure/measure.js";
import type { Offloader } from "../../src/core/pipeline/create-offloader.js";
import { scriptedModel } from "../../src/testing/scripted-model.js";
import { handWrittenGraph, question, toolMessages } from "./large-outputs.js";

const BUDGET = 4000;
const measure = createMeasure();

/** Some 1,200 tokens of o200k_base that no two pages share. */
const page = (number: number): string =>
  Array.from(
    { length: 110 },
    (_, line) => `page ${number}, line ${line}: ${(line * 7919) % 1000}`,
  ).join("\n");

const pageSchema = z.object({ number: z.number() });
/** Numbers of the pages that were read since this was emptied. */
const read: number[] = [];
/** Reads a page; the later ones come first, so that no order of ends is that of the calls. */
const readPage = tool(
  async ({ number }) => {
    await new Promise((resolve) => setTimeout(resolve, 20 - number * 2));
    if (number === 100) return String(interrupt("May I read it?"));
    if (number === 200) throw new Error("There is no such page.");
    read.push(number);
    return page(number);
  },
  { name: "read_page", description: "Reads a page.", schema: pageSchema },
);
const callsOf = (...numbers: readonly number[]) => ({
  toolCalls: numbers.map((number) => ({ name: "read_page", args: { number } })),
});
const eight = callsOf(0, 1, 2, 3, 4, 5, 6, 7);

const made: Offloader[] = [];
afterEach(async () => void (await Promise.all(made.splice(0).map((one) => one.close()))));
function offloaderOf(tokens = BUDGET): Offloader {
  const offloader = createOffloader({
    store: memoryStore(),
    turnBudget: { tokens },
  });
  made.push(offloader);
  return offloader;
}

const isDescriptor = ({ text }: ToolMessage): boolean => text.startsWith('{"offloaded":true');
/** Tokens of the outputs that stayed; which of all those are; whether all calls were answered. */
async function entered(messages: readonly BaseMessage[]): Promise<{
  inlineTokens: number;
  staying: number[];
}> {
  const outputs = toolMessages(messages);
  const inline = outputs.filter((message) => !isDescriptor(message));
  const counts = await Promise.all(inline.map(async ({ text }) => await measure.count(text)));
  return {
    inlineTokens: counts.reduce((sum, { tokens }) => sum + tokens, 0),
    staying: outputs.flatMap((message, index) => (isDescriptor(message) ? [] : [index])),
  };
}

describe("eight parallel calls of 1,200 tokens with a budget of 4,000", () => {
  const agentWith = (offloader: Offloader, toolCalls = eight) =>
    createAgent({
      model: scriptedModel([toolCalls]),
      tools: [readPage],
      middleware: [offloadMiddleware({ offloader })],
      checkpointer: new MemorySaver(),
    });

  it("of an agent: three stay, and are the first ones", async () => {
    const { messages } = await agentWith(offloaderOf()).invoke(question, {
      configurable: { thread_id: "all" },
    });
    const { inlineTokens, staying } = await entered(messages);
    expect(staying).toEqual([0, 1, 2]);
    expect(inlineTokens).toBeGreaterThan(3400);
    expect(inlineTokens).toBeLessThanOrEqual(BUDGET);
  });

  it("of a graph: the same three stay", async () => {
    const node = offloadToolNode([readPage], { offloader: offloaderOf() });
    const graph = handWrittenGraph(scriptedModel([eight]), node.tools, node).compile();
    const { messages } = await graph.invoke(question);
    expect((await entered(messages)).staying).toEqual([0, 1, 2]);
  });

  it("of a wrapped tool: each has its equal share", async () => {
    const wrapped = withOffload(readPage, { offloader: offloaderOf() });
    const agent = createAgent({ model: scriptedModel([eight]), tools: [wrapped] });
    const { messages } = await agent.invoke(question);
    expect((await entered(messages)).staying).toEqual([]);
  });
});

describe("a turn of which one call does not end like the others", () => {
  const run = async (numbers: readonly number[]) => {
    const agent = createAgent({
      model: scriptedModel([callsOf(...numbers)]),
      tools: [readPage],
      middleware: [offloadMiddleware({ offloader: offloaderOf() })],
      checkpointer: new MemorySaver(),
    });
    const config = { configurable: { thread_id: `odd ${String(numbers)}` } };
    return { agent, config, first: await agent.invoke(question, config) };
  };

  it("keeps the share of one that interrupts until it is resumed", async () => {
    const { agent, config, first } = await run([0, 1, 100, 3]);
    expect(first).toMatchObject({ __interrupt__: [{ value: "May I read it?" }] });
    const answer = page(9);
    const { messages } = await agent.invoke(new Command({ resume: answer }), config);
    // Two of 1,200 fit into three quarters of 4,000; the answer is larger than the last quarter.
    const { inlineTokens, staying } = await entered(messages);
    expect(staying).toEqual([0, 1]);
    expect(inlineTokens).toBeLessThanOrEqual(BUDGET);
  });
});

describe("an agent inside a tool", () => {
  it("has turns of its own, in the same thread and at the same time", async () => {
    const offloader = offloaderOf();
    const middleware = [offloadMiddleware({ offloader })];
    const config = { configurable: { thread_id: "nested" } };
    let inner: readonly BaseMessage[] = [];
    const delegate = tool(
      async () => {
        const agent = createAgent({ model: scriptedModel([eight]), tools: [readPage], middleware });
        const { messages } = await agent.invoke(question, config);
        inner = messages;
        return page(50);
      },
      { name: "delegate", description: "Asks another agent." },
    );
    const calls = [{ name: "delegate", args: {} }, ...callsOf(0, 1, 2, 3).toolCalls];
    const agent = createAgent({
      model: scriptedModel([{ toolCalls: calls }]),
      tools: [readPage, delegate],
      middleware,
    });
    const { messages } = await agent.invoke(question, config);
    expect((await entered(inner)).staying).toEqual([0, 1, 2]);
    const outer = await entered(messages);
    expect(outer.staying).toHaveLength(3);
    expect(outer.inlineTokens).toBeLessThanOrEqual(BUDGET);
  });
});

describe("a run that ends while outputs wait", () => {
  it("is left alone by them when it is aborted", async () => {
    const abort = new AbortController();
    const slow = tool(
      (_args, { signal }) =>
        new Promise<string>((_resolve, reject) => {
          signal?.addEventListener("abort", () => reject(new Error("ended")), { once: true });
        }),
      { name: "slow", description: "Takes for ever." },
    );
    const agent = createAgent({
      model: scriptedModel([
        { toolCalls: [...callsOf(0, 1).toolCalls, { name: "slow", args: {} }] },
      ]),
      tools: [readPage, slow],
      middleware: [offloadMiddleware({ offloader: offloaderOf(2000) })],
    });
    const run = agent.invoke(question, {
      configurable: { thread_id: "aborted" },
      signal: abort.signal,
    });
    setTimeout(() => abort.abort(), 60);
    await expect(run).rejects.toThrow(/abort/i);
  });
});
