import { setTimeout } from "node:timers/promises";

import type { BaseMessage } from "@langchain/core/messages";
import { Command, interrupt, MemorySaver } from "@langchain/langgraph";
import { createAgent } from "langchain";
import { expect, it } from "vitest";
import * as z from "zod";

import { type Offloader, offloadNode, offloadToolNode, withOffload } from "../../src/index.js";
import { createMeasure } from "../../src/core/measure/measure.js";
import { scriptedModel } from "../../src/testing/scripted-model.js";
import { handWrittenGraph, question, toolMessages } from "./large-outputs.js";
import { openedOffloaders } from "../opened-offloaders.js";
import { agentOf, thread, toolNamed } from "./agents.js";

interface Graph {
  invoke(input: typeof question, config: object): Promise<{ messages: BaseMessage[] }>;
}

const BUDGET = 4000;
const measure = createMeasure();

/** Some 1,200 tokens of o200k_base that no two pages share. */
const page = (number: number): string =>
  Array.from(
    { length: 110 },
    (_, line) => `page ${number}, line ${line}: ${(line * 7919) % 1000}`,
  ).join("\n");

/** Reads a page; the later ones come first, so that no order of ends is that of the calls. */
const readPage = toolNamed(
  "read_page",
  async ({ number }) => {
    await setTimeout(Math.max(1, 20 - number * 2));
    return number === 100 ? String(interrupt("May I read it?")) : page(number);
  },
  z.object({ number: z.number() }),
);
const callsOf = (...numbers: readonly number[]) =>
  numbers.map((number) => ({ name: "read_page", args: { number } }));
const eight = { toolCalls: callsOf(0, 1, 2, 3, 4, 5, 6, 7) };

const opened = openedOffloaders();
const offloaderOf = (tokens = BUDGET): Offloader => opened({ turnBudget: { tokens } }).offloader;

/** Tokens of the outputs that stayed, and which of all those are. */
async function entered(messages: readonly BaseMessage[]) {
  const outputs = toolMessages(messages).map(({ text }) => text);
  const isInline = (text: string): boolean => !text.startsWith('{"offloaded":true');
  const counts = await Promise.all(
    outputs.filter(isInline).map(async (text) => await measure.count(text)),
  );
  return {
    inlineTokens: counts.reduce((sum, { tokens }) => sum + tokens, 0),
    staying: outputs.flatMap((text, index) => (isInline(text) ? [index] : [])),
  };
}

const agentWith = (
  toolCalls: { name: string; args: Record<string, unknown> }[],
  more: readonly unknown[] = [],
) => {
  const checkpointer = new MemorySaver();
  const options = { offloader: offloaderOf() };
  return agentOf([{ toolCalls }], [readPage, ...more], options, { checkpointer });
};

it.each<[string, readonly number[], (offloader: Offloader) => Graph]>([
  [
    "an agent: three stay, and are the first ones",
    [0, 1, 2],
    (offloader) => agentOf([eight], [readPage], { offloader }),
  ],
  [
    "a graph: the same three stay",
    [0, 1, 2],
    (offloader) => {
      const node = offloadToolNode([readPage], { offloader });
      return handWrittenGraph(scriptedModel([eight]), node.tools, node).compile();
    },
  ],
  [
    "a wrapped tool: each has its equal share",
    [],
    (offloader) =>
      createAgent({ model: scriptedModel([eight]), tools: [withOffload(readPage, { offloader })] }),
  ],
  [
    "a node that runs an agent: each has its equal share",
    [],
    (offloader) => {
      const agent = createAgent({ model: scriptedModel([eight]), tools: [readPage] });
      return {
        invoke: offloadNode((state: typeof question) => agent.invoke(state), { offloader }),
      };
    },
  ],
])(
  "eight parallel calls of 1,200 tokens with a budget of 4,000, of %s",
  async (_, wanted, make) => {
    const offloader = offloaderOf();
    const numbered = { configurable: { thread_id: 7 } };
    const { messages } = await make(offloader).invoke(question, numbered);
    expect(offloader.stats("7").outputsOffloaded).toBe(8 - wanted.length);
    const { inlineTokens, staying } = await entered(messages);
    expect(staying).toEqual(wanted);
    expect(inlineTokens).toBeGreaterThanOrEqual(1_150 * wanted.length);
    expect(inlineTokens).toBeLessThanOrEqual(BUDGET);
  },
);

it("a turn keeps the share of a call that interrupts until it is resumed", async () => {
  const agent = agentWith(callsOf(0, 1, 100, 3));
  const first = await agent.invoke(question, thread("odd"));
  expect(first).toMatchObject({ __interrupt__: [{ value: "May I read it?" }] });
  const { messages } = await agent.invoke(new Command({ resume: page(9) }), thread("odd"));
  // Two of 1,200 fit into three quarters of 4,000; the answer is larger than the last quarter.
  const { inlineTokens, staying } = await entered(messages);
  expect(staying).toEqual([0, 1]);
  expect(inlineTokens).toBeLessThanOrEqual(BUDGET);
});

it("an agent inside a tool has turns of its own, in the same thread and at the same time", async () => {
  const offloader = offloaderOf();
  let inner: readonly BaseMessage[] = [];
  const delegate = toolNamed("delegate", async () => {
    const agent = agentOf([eight], [readPage], { offloader });
    inner = (await agent.invoke(question, thread("nested"))).messages;
    return page(50);
  });
  const toolCalls = [{ name: "delegate", args: {} }, ...callsOf(0, 1, 2, 3)];
  const agent = agentOf([{ toolCalls }], [readPage, delegate], { offloader });
  const { messages } = await agent.invoke(question, thread("nested"));
  expect((await entered(inner)).staying).toEqual([0, 1, 2]);
  const outer = await entered(messages);
  expect(outer.staying).toHaveLength(3);
  expect(outer.inlineTokens).toBeLessThanOrEqual(BUDGET);
});
