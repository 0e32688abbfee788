import { AIMessage, ToolMessage } from "@langchain/core/messages";
import { AsyncLocalStorageProviderSingleton } from "@langchain/core/singletons";
import type { RunnableConfig } from "@langchain/core/runnables";

import { type Offloader, offloadMiddleware } from "../../src/index.js";
import { thread, toolNamed } from "./agents.js";

/** What one call of a turn comes to: an output of so many tokens, or an end without one. */
export type CallEnd = number | "throws" | "fails" | "never begins";

/** A turn: its calls, in which order they end, and how many run at a time. */
export interface RiggedTurn {
  readonly ends: readonly CallEnd[];
  /** Indexes of the calls, the first to end first. */
  readonly order: readonly number[];
  readonly maxConcurrency?: number | undefined;
}

/** Four characters are a token for the measure `characters`. */
const outputOf = (tokens: number, mark: number): string =>
  `${mark} ${"lorem ".repeat(tokens)}`.slice(0, tokens * 4);

/** Runs the calls of one turn as an agent does: all begin, then end one by one in the given order. */
export async function runTurn(
  offloader: Offloader,
  { ends, order, maxConcurrency }: RiggedTurn,
  again: readonly number[] = ends.map((_, index) => index),
): Promise<(ToolMessage | undefined)[]> {
  const { wrapToolCall } = offloadMiddleware({ offloader });
  if (wrapToolCall === undefined) throw new Error("The middleware wraps no tool calls.");
  const fetch = toolNamed("fetch", () => "");
  const tool_calls = ends.map((_, index) => ({ id: `call_${index}`, name: "fetch", args: {} }));
  const state = { messages: [new AIMessage({ content: "", tool_calls })] };
  const finish: (() => void)[] = [];
  const begin = async (index: number): Promise<ToolMessage | undefined> => {
    const end = ends[index];
    if (end === "never begins") return undefined;
    const ended = new Promise<void>((resolve) => (finish[index] = resolve));
    const request = {
      toolCall: { ...tool_calls[index], type: "tool_call" },
      tool: fetch,
      state,
      runtime: thread("rig"),
    } as unknown as Parameters<typeof wrapToolCall>[0];
    const message = wrapToolCall(request, async () => {
      await ended;
      if (end === "throws") throw new Error("The source is away.");
      const status = end === "fails" ? "error" : "success";
      const content = typeof end === "number" ? outputOf(end, index) : "No such page.";
      return new ToolMessage({ content, tool_call_id: `call_${index}`, name: "fetch", status });
    });
    const settled = await Promise.resolve(message).catch(() => undefined);
    return ToolMessage.isInstance(settled) ? settled : undefined;
  };
  const limit = maxConcurrency ?? ends.length;
  const results: Promise<ToolMessage | undefined>[] = [];
  const waiting = [...again];
  const running = new Set<number>();
  const start = (): void => {
    while (running.size < limit && waiting.length > 0) {
      const index = waiting.shift() ?? 0;
      running.add(index);
      const config: RunnableConfig = { ...(maxConcurrency !== undefined && { maxConcurrency }) };
      const run = AsyncLocalStorageProviderSingleton.runWithConfig(config, () => begin(index));
      results[index] = run.finally(() => {
        running.delete(index);
        start();
      });
    }
  };
  start();
  const left = order.filter((index) => again.includes(index));
  while (left.length > 0) {
    const next = left.findIndex(
      (index) => finish[index] !== undefined || ends[index] === "never begins",
    );
    if (next === -1) await new Promise((resolve) => setImmediate(resolve));
    else {
      const [index = 0] = left.splice(next, 1);
      finish[index]?.();
      // What ends now has settled, or waits, before the next one ends.
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  await Promise.all(results);
  return await Promise.all(ends.map((_, index) => results[index] ?? Promise.resolve(undefined)));
}

/** Whether a message carries a descriptor in place of its output. */
export const isDescriptor = (message: ToolMessage | undefined): boolean =>
  typeof message?.artifact === "object";
