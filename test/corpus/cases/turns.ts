import { metaCc, memoryStore, type OffloadOptions } from "../entries.js";
import { pieces, words } from "../data.js";
import type { Case } from "../pins.js";
import { atOnce, type Given, offloadAll, walked, type WalkRow } from "../walk.js";

const turnOf = (...sizes: readonly number[]): Given[] =>
  sizes.map((tokens, index) => ({ value: words(tokens, `${index}`), toolCallId: `call_${index}` }));
const budget = (tokens: number, more: OffloadOptions["decide"] = {}): OffloadOptions => ({
  decide: { turnBudget: { tokens }, ...more },
});
const conversation = { contextWindowTokens: 8_000 };
const broken = { ...memoryStore(), put: () => Promise.reject(new Error("disk full")) };

const ROWS: readonly WalkRow[] = [
  { name: "without a budget", output: turnOf(1_600, 1_600, 1_601), door: offloadAll },
  {
    name: "the largest leave until the rest fits",
    options: budget(4_000),
    output: turnOf(1_200, 1_300, 1_400, 1_100, 300),
    door: offloadAll,
  },
  {
    name: "of equal ones the later leave",
    options: budget(2_500),
    output: turnOf(1_200, 1_200, 1_200),
    door: offloadAll,
  },
  {
    name: "all within their equal share",
    options: budget(3_000),
    output: turnOf(900, 1_000, 1_000),
    door: offloadAll,
  },
  {
    name: "one over its own limit costs the others nothing",
    options: budget(2_000),
    output: turnOf(5_000, 1_500, 500),
    door: offloadAll,
  },
  {
    name: "one that is larger than all of the budget",
    options: budget(1_000),
    output: turnOf(1_200, 400, 400),
    door: offloadAll,
  },
  {
    name: "alone, and where only the number is known",
    options: budget(1_000),
    output: [...turnOf(1_000, 1_001), ...turnOf(250, 251).map((one) => ({ ...one, turnCalls: 4 }))],
    door: atOnce,
  },
  {
    name: "a part of the window",
    options: { decide: { turnBudget: { fraction: 0.1 } } },
    output: turnOf(700, 700).map((one) => ({ ...one, conversation })),
    door: offloadAll,
  },
  {
    name: "a part of a window that is not known",
    options: { decide: { turnBudget: { fraction: 0.1 } } },
    output: turnOf(700, 700),
    door: offloadAll,
  },
  {
    name: "no larger than a descriptor",
    options: budget(60),
    output: turnOf(14, 15, 16, 17, 18),
    door: offloadAll,
  },
  {
    name: "a descriptor that saves nothing",
    options: {
      ...budget(30),
      describe: {
        describer: async () =>
          await Promise.resolve({ form: "bare", text: words(100), tokens: 100 }),
      },
    },
    output: turnOf(40, 50, 120),
    door: offloadAll,
  },
  {
    name: "a descriptor that saves nothing, nor does the usual one",
    options: {
      ...budget(14),
      describe: {
        describer: async () =>
          await Promise.resolve({ form: "bare", text: words(100), tokens: 100 }),
      },
    },
    output: turnOf(10, 12, 120),
    door: offloadAll,
  },
  {
    name: "cut in place to one level",
    options: budget(300, { mode: "truncate" }),
    output: turnOf(30, 500, 500, 60),
    door: offloadAll,
  },
  {
    name: "cut in place, over a limit of its own too",
    options: budget(400, { mode: "truncate", threshold: { tokens: 300 } }),
    output: turnOf(900, 900, 30),
    door: offloadAll,
  },
  {
    name: "cut in place, with a limit in bytes",
    options: budget(300, { mode: "truncate", threshold: { bytes: 500 } }),
    output: turnOf(900, 900, 30),
    door: offloadAll,
  },
  {
    name: "a store that fails",
    options: { ...budget(300), store: broken },
    output: turnOf(2_000, 150, 140, 20),
    door: offloadAll,
  },
  {
    name: "a store that fails, and all of it may stay",
    options: { ...budget(300, { onStoreFailure: "inline" }), store: broken },
    output: turnOf(200, 150, 140, 20),
    door: offloadAll,
  },
  {
    name: "what a preset puts around an output counts",
    options: { ...budget(505), describe: metaCc({ environment: {} }).describe ?? {} },
    output: turnOf(500),
    door: offloadAll,
  },
  {
    name: "the answer counts, and not the set behind it",
    options: { ...budget(600), selectResultSet: ({ artifact }) => artifact },
    output: turnOf(200, 250).map((one) => ({ ...one, artifact: words(1_000) })),
    door: offloadAll,
  },
  {
    name: "a stream among the outputs",
    options: budget(1_000),
    output: () => [
      { value: pieces(700, () => "wor "), toolCallId: "call_0" },
      { value: pieces(600, () => "wor "), toolCallId: "call_1" },
      { value: "x", toolCallId: "call_2" },
    ],
    door: offloadAll,
  },
  {
    name: "a stream that throws fails alone",
    options: budget(1_000),
    output: () => [
      {
        value: pieces(3, (index) => {
          if (index > 1) throw new Error("the source went away");
          return "text";
        }),
      },
      ...turnOf(900, 200),
    ],
    door: offloadAll,
  },
  {
    name: "aborted while they wait for each other",
    output: () => {
      const signal = AbortSignal.timeout(50);
      const stuck = {
        [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }),
      };
      return [...turnOf(900, 800), { value: stuck }].map((one) => ({ ...one, signal }));
    },
    options: budget(1_000),
    door: offloadAll,
  },
  {
    name: "tools without a limit of their own, and with one",
    options: {
      ...budget(1_000),
      scope: { perTool: { rows: { decide: { threshold: { tokens: 50 } } } } },
    },
    output: [...turnOf(900, 200), { toolName: "rows", value: words(60) }],
    door: offloadAll,
  },
  {
    name: "no tool to read with, and a limit that is raised",
    options: { ...budget(300, { whenNoDrillIn: "raise" }), drillIn: false },
    output: turnOf(700, 600),
    door: offloadAll,
  },
  {
    name: "what is no output among the outputs",
    options: budget(300),
    output: [...turnOf(200), null as never, { value: undefined }],
    door: async (offloader, given) =>
      await offloader.offloadAll(
        given.map((one) => one && { toolName: "t", sessionId: "s", value: one.value }),
      ),
  },
];

export const turns: readonly Case[] = walked(ROWS);
