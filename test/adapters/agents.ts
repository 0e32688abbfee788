import type { BaseMessage } from "@langchain/core/messages";
import { type DynamicStructuredTool, tool, type ToolRunnableConfig } from "@langchain/core/tools";
import { createAgent } from "langchain";
import * as z from "zod";

import { offloadMiddleware, type OffloadMiddlewareOptions } from "../../src/index.js";
import {
  type ScriptedModel,
  scriptedModel,
  type ScriptedTurn,
} from "../../src/testing/scripted-model.js";

type Messages = { readonly messages: BaseMessage[] };
type Created = ReturnType<typeof createAgent>;
/** What tests use of an agent, whatever its middleware adds to its types, and its model. */
export interface Agent extends Pick<Created, "graph" | "stream" | "getState" | "getStateHistory"> {
  readonly model: ScriptedModel;
  invoke(input: unknown, config?: object): Promise<Messages>;
}
type AgentOptions = Parameters<typeof createAgent>[0];

/** Middleware on either side, and more options of an agent. */
export interface MoreOfAgent extends Readonly<Partial<AgentOptions>> {
  readonly before?: readonly unknown[];
  readonly after?: readonly unknown[];
  /** Of the model. */
  readonly profile?: object | undefined;
}

/** An agent with the middleware, whose model does as the turns say. */
export function agentOf(
  turns: readonly ScriptedTurn[],
  tools: readonly unknown[],
  options: OffloadMiddlewareOptions = {},
  { before = [], after = [], profile, ...more }: MoreOfAgent = {},
): Agent {
  const model = scriptedModel(turns);
  if (profile) Object.defineProperty(model, "profile", { value: profile });
  const middleware = [...before, offloadMiddleware(options), ...after];
  const own = { model, tools: [...tools], middleware, ...more } as AgentOptions;
  return Object.assign(createAgent(own), { model }) as Agent;
}

/** A turn that calls a tool. */
export const calling = (
  name: string,
  args: Record<string, unknown> = {},
): { readonly toolCalls: { name: string; args: Record<string, unknown> }[] } => ({
  toolCalls: [{ name, args }],
});

export const thread = (id: string): { configurable: { thread_id: string } } => ({
  configurable: { thread_id: id },
});

/** A tool that gives what `run` does. */
export function toolNamed<Schema extends z.ZodObject = z.ZodObject<Record<string, never>>>(
  name: string,
  run: (args: z.infer<Schema>, config: ToolRunnableConfig) => unknown,
  schema: Schema = z.object({}) as never,
  more: object = {},
): DynamicStructuredTool<Schema, z.infer<Schema>> {
  const fields = { name, description: name, schema, ...more };
  return tool(run as () => string, fields as never) as never;
}
