import { headroom, lro } from "../entries.js";
import { records, words } from "../data.js";
import type { Case } from "../pins.js";
import { pipelineCases, type PipelineRow } from "../offload-case.js";

const large = { value: words(2_000) };
const small = { value: words(90) };
const fails = (message: string): never => {
  throw new Error(message);
};

const ROWS: readonly PipelineRow[] = [
  {
    name: "where nobody states a limit: 6,400 tokens stay without records, 1,600 with them",
    options: { preset: lro({ env: {} }), tokenizer: "characters" },
    output: [
      { value: words(6_400) },
      { value: `${words(6_400)}.` },
      { value: JSON.stringify({ text: words(2_000) }) },
      { value: records(40) },
      { value: records(80) },
    ],
  },
  {
    name: "a headroom of which little is left",
    options: { gates: [headroom({ fraction: 0.5 })] },
    output: [
      { ...large, conversation: { tokens: 0, contextWindowTokens: 8_000 } },
      { ...large, conversation: { tokens: 3_000, contextWindowTokens: 8_000 } },
    ],
  },
  {
    name: "cut in place, in bytes and tokens",
    options: {
      mode: "truncate",
      threshold: { tokens: 200 },
      gates: [() => ({ bytes: 400, reason: "a gate" })],
    },
    output: { value: "日本語 ".repeat(900) },
  },
  {
    name: "no tool to read with: describe",
    options: { drillIn: false },
    output: [large, { value: words(6_401) }],
  },
  {
    name: "a tool by its metadata",
    options: { include: ({ metadata }) => metadata?.["offload"] === true },
    output: [
      { ...large, metadata: { offload: true } },
      { ...large, metadata: { offload: 1 } },
    ],
  },
  {
    name: "a rule that throws",
    options: { include: () => fails("rule") },
    output: large,
  },
  {
    name: "overrides of one call",
    output: [
      { ...large, overrides: { enabled: false } },
      { ...large, overrides: { enabled: false } },
      { ...small, overrides: { threshold: { tokens: 50 }, form: "bare" } },
      { ...large, overrides: { threshold: { tokens: 9_999 } } },
    ],
  },
  {
    name: "no text, and an empty one",
    options: { threshold: { tokens: 0 } },
    output: [
      { value: undefined },
      { value: null },
      { value: "" },
      { value: [] },
      { value: {} },
      { value: 0 },
    ],
  },
];

export const decisions: readonly Case[] = pipelineCases(ROWS);
