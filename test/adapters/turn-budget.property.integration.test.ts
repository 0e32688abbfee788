import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { createOffloader, memoryStore, type OffloadOptions } from "../../src/index.js";
import { type CallEnd, isDescriptor, type RiggedTurn, runTurn } from "./turn-rig.js";
import { sharedOffloader } from "../opened-offloaders.js";

const BUDGET = 1000;
const options: OffloadOptions = {
  tokenizer: "characters",
  store: memoryStore({ maxBytes: 1e9 }),
  threshold: { tokens: 900 },
  turnBudget: { tokens: BUDGET },
};
const offloader = sharedOffloader(options);

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

  it("never exceed it when calls that threw or never began run in a later run", async () => {
    const ends = fc.oneof(
      { weight: 4, arbitrary: size },
      fc.constant("throws" as const),
      fc.constant("never begins" as const),
    );
    await fc.assert(
      fc.asyncProperty(
        turnOf(ends, fc.constant(undefined)),
        fc.array(size, { minLength: 9, maxLength: 9 }),
        async (turn, later) => {
          const first = await runTurn(offloader, turn);
          const again = turn.ends.flatMap((end, index) => (typeof end === "number" ? [] : [index]));
          const resumed = {
            ...turn,
            ends: turn.ends.map((end, index) =>
              typeof end === "number" ? end : (later[index] ?? 1),
            ),
          };
          const second = await runTurn(offloader, resumed, again);
          const all = first.map((message, index) =>
            again.includes(index) ? second[index] : message,
          );
          expect(excess(resumed, all)).toBeLessThanOrEqual(0);
        },
      ),
      { numRuns: 8 },
    );
  }, 60_000);
});
