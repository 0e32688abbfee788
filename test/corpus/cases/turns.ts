import { memoryStore, type OffloadOptions } from "../entries.js";
import { pieces, words } from "../data.js";
import type { Case } from "../pins.js";
import { type Given, offloadAll, pipelineCases, type PipelineRow } from "../offload-case.js";

const turnOf = (...sizes: readonly number[]): Given[] =>
  sizes.map((tokens, index) => ({ value: words(tokens, `${index}`), toolCallId: `call_${index}` }));
const budget = (tokens: number, more: OffloadOptions = {}): OffloadOptions => ({
  turnBudget: { tokens },
  ...more,
});
const broken = { ...memoryStore(), put: () => Promise.reject(new Error("disk full")) };

const ROWS: readonly PipelineRow[] = [
  {
    name: "the largest leave until the rest fits",
    options: budget(4_000),
    output: turnOf(1_200, 1_300, 1_400, 1_100, 300),
    policy: offloadAll,
  },
  {
    name: "one over its own limit costs the others nothing",
    options: budget(2_000),
    output: turnOf(5_000, 1_500, 500),
    policy: offloadAll,
  },
  {
    name: "cut in place to one level",
    options: budget(300, { mode: "truncate" }),
    output: turnOf(30, 500, 500, 60),
    policy: offloadAll,
  },
  {
    name: "a store that fails",
    options: { ...budget(300), store: broken },
    output: turnOf(2_000, 150, 140, 20),
    policy: offloadAll,
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
    policy: offloadAll,
  },
];

export const turns: readonly Case[] = pipelineCases(ROWS);
