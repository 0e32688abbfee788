import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import type { DynamicStructuredTool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import { expect, onTestFinished } from "vitest";
import * as z from "zod";

import { pluginsOver } from "../../../referring.js";
import { references } from "../../../../src/adapters/langchain/references/references.js";
import {
  createOffloader,
  memoryStore,
  type Offloader,
  type OffloadEvent,
  type OffloadOptions,
} from "../../../../src/index.js";
import type { AgingOptions } from "../../../../src/plugins/aging/choose-stale.js";
import {
  type ScriptedModel,
  type ScriptedReply,
  type ScriptedTurn,
} from "../../../../src/testing/scripted-model.js";
import { aging } from "../../../../src/adapters/langchain/aging/index.js";
import { toolListing } from "../../receiving-tool.js";
import { type Agent, agentOf, calling, type MoreOfAgent, thread, toolNamed } from "../../agents.js";

/** Text of about 3,000 tokens that is another one for each number. */
export function pageOf(number: number): string {
  const lines = Array.from(
    { length: 30 },
    (_, line) => `page ${number} line ${line}: ${"word ".repeat(96)}`,
  );
  return lines.join("\n");
}

/** What leaves after six results of {@link pageOf}; three of them free 10,000 tokens, the least at once. */
export const soon: AgingOptions = { trigger: { tokens: 20_000 }, keep: { results: 2 } };

/** A turn that reads a page. */
function reads(number: number): ScriptedTurn {
  return { toolCalls: [{ name: "read_page", args: { number }, id: `page_${number}` }] };
}

/** Turns that read so many pages, one each. */
export function pages(count: number): ScriptedTurn[] {
  return Array.from({ length: count }, (_, page) => reads(page));
}

/** Ids of the read calls that the lines of a conversation name, in order. */
export function idsShown(messages: readonly BaseMessage[] | undefined): string[] {
  return toolContents(messages).flatMap(
    (text) => /^\[aged: .*read_tool_output\("([0-9A-Z]{26})"\)\]$/.exec(String(text))?.[1] ?? [],
  );
}

/** A turn that reads back the aged result at a place among those that are aged. */
export function readsBack(place: number): (messages: readonly BaseMessage[]) => ScriptedReply {
  return (messages) => calling("read_tool_output", { id: idsShown(messages)[place] ?? "none" });
}

export function aged(events: readonly OffloadEvent[]): Extract<OffloadEvent, { type: "aged" }>[] {
  return events.filter((event) => event.type === "aged");
}

const pageSchema: z.ZodObject<{ number: z.ZodNumber }> = z.object({ number: z.number() });

export const readPage: DynamicStructuredTool<typeof pageSchema> = toolNamed(
  "read_page",
  ({ number }) => pageOf(number),
  pageSchema,
);

/** Lists records whose descriptor is worth a line of its own when it ages. */
export const listVisits: ReturnType<typeof toolListing> = toolListing({
  rows: Array.from({ length: 900 }, (_, n) => ({
    n,
    note: `visit ${n * 7919}`,
    place: `room ${n % 40}`,
    state: ["open", "closed", "gone"][n % 3],
    at: new Date(1_700_000_000_000 + n * 60_000).toISOString(),
  })),
});

interface RigOptions extends OffloadOptions, Pick<MoreOfAgent, "before" | "after"> {
  readonly checkpointer?: MemorySaver | false;
  readonly tools?: readonly unknown[];
  readonly responseFormat?: unknown;
}

interface Rig extends Pick<Agent, "model"> {
  readonly agent: Agent;
  readonly offloader: Offloader;
  readonly events: OffloadEvent[];
  send(text: string, thread?: string): Promise<BaseMessage[]>;
}

/** An agent that reads pages, with aging. */
export function rigOf(turns: readonly ScriptedTurn[], options: RigOptions = {}): Rig {
  const { before = [], after = [], checkpointer = new MemorySaver(), ...rest } = options;
  const { tools = [readPage], responseFormat, ...own } = rest;
  const events: OffloadEvent[] = [];
  const offloader = createOffloader({
    store: memoryStore(),
    onEvent: (event) => events.push(event),
    ...own,
    plugins: pluginsOver([references(), aging(soon)], own.plugins),
  });
  onTestFinished(() => offloader.close());
  const agent = agentOf(
    turns,
    tools,
    { offloader },
    {
      before,
      after,
      checkpointer,
      ...(responseFormat !== undefined && { responseFormat: responseFormat as never }),
    },
  );
  return {
    agent,
    model: agent.model,
    offloader,
    events,
    async send(text, id = "one") {
      const input = { messages: [new HumanMessage(text)] };
      return (await agent.invoke(input, { ...thread(id), recursionLimit: 500 })).messages;
    },
  };
}

/** What the model was sent, one text a message. */
export function sent(request: readonly BaseMessage[] | undefined): string[] {
  return (request ?? []).map(
    (message) =>
      `${message.type} ${JSON.stringify(message.content)} ${JSON.stringify(Reflect.get(message, "tool_calls") ?? null)} ${String(Reflect.get(message, "tool_call_id"))}`,
  );
}

/** Calls of which the prompt does not begin with the whole prompt before it. */
export function breaksIn(requests: ScriptedModel["requests"]): number {
  const texts = requests.map((request) => sent(request));
  return texts
    .slice(1)
    .filter((now, at) => (texts[at] ?? []).some((text, place) => now[place] !== text)).length;
}

export function toolContents(messages: readonly BaseMessage[] | undefined): unknown[] {
  return (messages ?? [])
    .filter((message) => ToolMessage.isInstance(message))
    .map(({ content }) => content);
}

/** Each call of a tool is answered by the messages right behind it. */
export function expectPairs(messages: readonly BaseMessage[]): void {
  messages.forEach((message, place) => {
    const calls = AIMessage.isInstance(message) ? (message.tool_calls ?? []) : [];
    const answers = messages.slice(place + 1, place + 1 + calls.length);
    const ids = answers.map((answer) =>
      ToolMessage.isInstance(answer) ? answer.tool_call_id : "none",
    );
    expect(ids).toEqual(calls.map(({ id }) => id));
  });
}
