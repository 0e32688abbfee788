import { AIMessage, type ToolMessage } from "@langchain/core/messages";
import { createAgent } from "langchain";
import * as z from "zod";

import { offloadMiddleware } from "../../../src/adapters/langchain/offload-middleware.js";
import type { OffloadEvent } from "../../../src/core/types/events.js";
import { createOffloader, type Offloader } from "../../../src/core/pipeline/create-offloader.js";
import type { OffloadOptions } from "../../../src/core/options/options.js";
import { scriptedModel } from "../../../src/testing/scripted-model.js";
import { afterFile } from "../../after-file.js";
import { toolNamed } from "../../adapters/agents.js";
import { toolMessages } from "../../adapters/large-outputs.js";

/** One call of the model. */
type Call = readonly [tool: string, args?: Readonly<Record<string, unknown>>];
/** The calls of one turn, which may look at what the tools have answered so far. */
export type Step = readonly Call[] | ((answers: readonly string[]) => readonly Call[]);

/** What a conversation came to. */
export interface Talk {
  /** What the model read of each tool call, in order. */
  readonly answers: readonly string[];
  readonly messages: readonly ToolMessage[];
  readonly events: readonly OffloadEvent[];
  /** Names of the tools that each call of the model was given, the agent's own left out. */
  readonly tools: readonly (readonly string[])[];
  /** Schemas of the agent's own tools as the model was shown them in the first call. */
  readonly shown: Readonly<Record<string, unknown>>;
  /** Arguments that the agent's own tools got. */
  readonly given: readonly unknown[];
  readonly offloader: Offloader;
}

/** What an agent of a test has. */
interface Agent {
  readonly options: OffloadOptions;
  /** Its own tools by name, and what they return. */
  readonly tools: Readonly<Record<string, (args: Record<string, unknown>) => unknown>>;
  readonly schema?: z.ZodObject;
  /** Of the model's profile. */
  readonly windowTokens?: number;
  readonly before?: (offloader: Offloader) => Promise<void>;
}

export const THREAD = "thread";

/** An agent with a preset whose model makes these calls, one turn after the other. */
export async function talk(agent: Agent, steps: readonly Step[]): Promise<Talk> {
  const { options, windowTokens, before } = agent;
  const schema = agent.schema ?? z.looseObject({});
  const events: OffloadEvent[] = [];
  const given: unknown[] = [];
  const shownTools: { readonly name: string; readonly schema: unknown }[][] = [];
  const offloader = createOffloader({ ...options, onEvent: (event) => events.push(event) });
  afterFile(() => offloader.close());
  await before?.(offloader);
  const model = scriptedModel(
    steps.map((step) => (messages) => {
      const calls = typeof step === "function" ? step(textsOf(messages)) : step;
      return { toolCalls: calls.map(([name, args = {}]) => ({ name, args: { ...args } })) };
    }),
  );
  if (windowTokens !== undefined) {
    Object.defineProperty(model, "profile", { value: { maxInputTokens: windowTokens } });
  }
  const bindTools = model.bindTools?.bind(model);
  Object.assign(model, {
    bindTools(tools: readonly { readonly name: string; readonly schema: unknown }[]) {
      shownTools.push([...tools]);
      return bindTools?.([...tools]);
    },
  });
  const tools = Object.entries(agent.tools).map(([name, answer]) => {
    const run = async (args: Record<string, unknown>): Promise<unknown> => {
      given.push(args);
      return await answer(args);
    };
    return toolNamed(name, run, schema);
  });
  const middleware = [offloadMiddleware({ offloader })];
  const asked = { configurable: { thread_id: THREAD } };
  const { messages } = await createAgent({ model, tools, middleware }).invoke(
    { messages: "go" },
    asked,
  );
  const ownNames = new Set(Object.keys(agent.tools));
  const isOwn = ({ name }: { readonly name: string }): boolean => ownNames.has(name);
  return {
    answers: textsOf(messages),
    messages: toolMessages(messages),
    events,
    tools: shownTools.map((tools) => tools.filter((one) => !isOwn(one)).map(({ name }) => name)),
    shown: Object.fromEntries(
      (shownTools[0] ?? []).filter(isOwn).map(({ name, schema: own }) => [name, own]),
    ),
    given,
    offloader,
  };
}

/** The events of one type. */
export function eventsOf<Type extends OffloadEvent["type"]>(
  { events }: Pick<Talk, "events">,
  type: Type,
): readonly Extract<OffloadEvent, { type: Type }>[] {
  return events.filter(
    (event): event is Extract<OffloadEvent, { type: Type }> => event.type === type,
  );
}

/** One of several texts; the last for -1. */
export function at(texts: readonly string[], index: number): string {
  return texts.at(index) ?? "";
}

/** So many tokens of o200k_base: " a" is one, as is the first "a". */
export function words(tokens: number): string {
  return `a${" a".repeat(tokens - 1)}`;
}

function textsOf(messages: readonly unknown[]): string[] {
  return toolMessages(messages.filter((message) => !AIMessage.isInstance(message)) as never).map(
    ({ text }) => text,
  );
}
