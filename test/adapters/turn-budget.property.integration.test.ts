import { AIMessage, ToolMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { AsyncLocalStorageProviderSingleton } from "@langchain/core/singletons";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  memoryStore,
  type Offloader,
  offloadMiddleware,
  type OffloadOptions,
} from "../../src/index.js";
import { thread, toolNamed } from "./agents.js";
import { openedOffloaders, sharedOffloader } from "../opened-offloaders.js";

/** What one call of a turn comes to: an output of so many tokens, or an end without one. */
type CallEnd = number | "throws" | "fails";

/** A turn: its calls, in which order they end, and how many run at a time. */
interface RiggedTurn {
  readonly ends: readonly CallEnd[];
  /** Indexes of the calls, the first to end first. */
  readonly order: readonly number[];
  readonly maxConcurrency?: number | undefined;
}

/** Four characters are a token for the measure `characters`. */
const outputOf = (tokens: number, mark: number): string =>
  `${mark} ${"lorem ".repeat(tokens)}`.slice(0, tokens * 4);

/** Runs the calls of one turn as an agent does: all begin, then end one by one in the given order. */
async function runTurn(
  offloader: Offloader,
  { ends, order, maxConcurrency }: RiggedTurn,
): Promise<(ToolMessage | undefined)[]> {
  const { wrapToolCall } = offloadMiddleware({ offloader });
  if (wrapToolCall === undefined) throw new Error("The middleware wraps no tool calls.");
  const fetch = toolNamed("fetch", () => "");
  const tool_calls = ends.map((_, index) => ({ id: `call_${index}`, name: "fetch", args: {} }));
  const state = { messages: [new AIMessage({ content: "", tool_calls })] };
  const finish: (() => void)[] = [];
  const begin = async (index: number): Promise<ToolMessage | undefined> => {
    const end = ends[index];
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
  const waiting = [...ends.keys()];
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
  const left = [...order];
  while (left.length > 0) {
    const next = left.findIndex((index) => finish[index] !== undefined);
    if (next === -1) await new Promise((resolve) => setImmediate(resolve));
    else {
      const [index = 0] = left.splice(next, 1);
      finish[index]?.();
      // What ends now has settled, or waits, before the next one ends.
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  return await Promise.all(results);
}

/** Whether a message carries a descriptor in place of its output. */
const isDescriptor = (message: ToolMessage | undefined): boolean =>
  typeof message?.artifact === "object";

const BUDGET = 1000;
const options: OffloadOptions = {
  tokenizer: "characters",
  store: memoryStore({ maxBytes: 1e9 }),
  threshold: { tokens: 900 },
  turnBudget: { tokens: BUDGET },
};
const offloader = sharedOffloader(options);
const opened = openedOffloaders();

/** Tokens as the rig writes them. */
const tokensOf = (text: string): number => Math.ceil(text.length / 4);
const LEAST_DESCRIPTOR = tokensOf('{"offloaded":true,"file_path":"01ARZ3NDEKTSV4RRFFQ69G5FAV"}');

const size = fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 1500 }));
const turnOf = (end: fc.Arbitrary<CallEnd>, maxConcurrency: fc.Arbitrary<number | undefined>) =>
  fc.array(end, { minLength: 1, maxLength: 9 }).chain((ends) =>
    fc.record({
      ends: fc.constant(ends),
      order: fc.shuffledSubarray(
        ends.map((_, index) => index),
        { minLength: ends.length },
      ),
      maxConcurrency,
    }),
  );

/** What entered the context beyond the budget, less what the descriptors cost. */
function excess(turn: RiggedTurn, messages: Awaited<ReturnType<typeof runTurn>>): number {
  const entered = messages.filter(
    (message, index) => message && typeof turn.ends[index] === "number",
  );
  let sum = 0;
  for (const message of entered) {
    const tokens = tokensOf(message?.text ?? "");
    // An output that is no larger than the smallest descriptor stands for itself.
    if (!isDescriptor(message) && tokens > LEAST_DESCRIPTOR) sum += tokens;
  }
  return sum - BUDGET;
}

/** Which calls came back as what they were. */
const staying = (messages: Awaited<ReturnType<typeof runTurn>>): boolean[] =>
  messages.map((message) => message !== undefined && !isDescriptor(message));

describe("outputs of one turn", () => {
  it("never exceed its budget but for descriptors, whatever their sizes and the order they end in", async () => {
    const ends = fc.oneof(
      { weight: 6, arbitrary: size },
      fc.constantFrom("throws" as const, "fails" as const),
    );
    await fc.assert(
      fc.asyncProperty(
        turnOf(ends, fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined })),
        async (turn) => {
          expect(excess(turn, await runTurn(offloader, turn))).toBeLessThanOrEqual(0);
        },
      ),
      { numRuns: 40 },
    );
  }, 60_000);

  it("are never stood for by what is dearer than they are, whatever describes them", async () => {
    // What it says of itself is not believed.
    const dear = { form: "generic", text: "x".repeat(400), tokens: 1 } as const;
    const { offloader: wordy } = opened({ ...options, describe: { describer: async () => dear } });
    const small = fc.integer({ min: 40, max: 120 });
    await fc.assert(
      fc.asyncProperty(fc.array(small, { minLength: 20, maxLength: 30 }), async (ends) => {
        const messages = await runTurn(wordy, { ends, order: [...ends.keys()] });
        for (const [index, message] of messages.entries())
          if (isDescriptor(message))
            expect(tokensOf(message?.text ?? "")).toBeLessThan(ends[index]!);
      }),
      { numRuns: 13 },
    );
  }, 60_000);

  it("come to the same whatever order they end in", async () => {
    const few = fc.constantFrom<CallEnd>(50, 150, 300, 450, 600, 850, "throws", "fails");
    await fc.assert(
      fc.asyncProperty(turnOf(few, fc.constantFrom(undefined, undefined, 1, 2)), async (turn) => {
        const inOrder = { ...turn, order: turn.ends.map((_, index) => index) };
        const one = staying(await runTurn(offloader, turn));
        expect(one).toEqual(staying(await runTurn(offloader, inOrder)));
      }),
      { numRuns: 33 },
    );
  }, 60_000);
});
