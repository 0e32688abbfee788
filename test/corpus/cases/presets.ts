import {
  atlatl,
  lro,
  mcpagent,
  memoryStore,
  forTool,
  metaCc,
  type OffloadOptions,
  vectara,
} from "../entries.js";
import { memories, outputsOf } from "../data.js";
import type { Case } from "../pins.js";
import type { Rig } from "../rig.js";
import { type Given, walked, type WalkRow } from "../walk.js";

const quiet = { onWarning: () => {} };
const window = { conversation: { tokens: 2_000, contextWindowTokens: 8_000 } };
const PRESETS: Readonly<
  Record<
    string,
    { readonly options: OffloadOptions; readonly size: number; readonly given?: Given }
  >
> = {
  lro: { options: lro(), size: 100 },
  atlatl: { options: atlatl(), size: 400 },
  mcpagent: { options: mcpagent({ thresholdTokens: 1_000 }), size: 100 },
  vectara: { options: vectara(quiet), size: 100, given: window },
  metaCc: { options: metaCc({ environment: {} }), size: 120 },
};

/** A preset with the rig's store: the counts of the true tokenizer stay. */
const preset =
  (options: OffloadOptions) =>
  ({ store }: Rig): OffloadOptions => ({ measure: {}, ...options, store });

const over = (name: string, size = 120): string => outputsOf(size)[name] ?? "";
const small = JSON.stringify([{ id: 1 }]);

const ROWS: readonly WalkRow[] = [
  ...Object.entries(PRESETS).flatMap(([name, { options, size, given }]) => [
    ...Object.entries(outputsOf(size)).map(([kind, value]) => ({
      name: `${name}: ${kind}`,
      options: preset(options),
      output: { value, args: { query: "all", limit: 5 }, ...given },
    })),
    {
      name: `${name}: a small output`,
      options: preset(options),
      output: { value: small, ...given },
    },
    {
      name: `${name}: a store that fails`,
      options: ({ nowMs }: Rig) => ({
        ...options,
        store: {
          ...memoryStore({ now: () => nowMs }),
          put: () => Promise.reject(new Error("disk full")),
        },
      }),
      output: { value: over("a log", size), ...given },
    },
  ]),
  {
    name: "lro: memories that were recalled",
    options: preset(lro()),
    output: {
      toolName: "recall_memories",
      value: JSON.stringify(memories),
      args: { query: "cache" },
    },
  },
  {
    name: "atlatl: memories that were recalled",
    options: preset({ ...atlatl(), threshold: { tokens: 1000 } }),
    output: {
      toolName: "recall_memories",
      value: JSON.stringify(memories),
      args: { query: "cache" },
    },
  },
  {
    name: "lro: with a shell",
    options: preset({ ...lro(), describe: { shell: true } }),
    output: { value: over("a JSON array") },
  },
  ...(["full", "generic", "bare"] as const).map((form) => ({
    name: `lro: in the form ${form}`,
    options: preset({ ...lro(), describe: { form } }),
    output: { value: over("nested records") },
  })),
  {
    name: "lro: a descriptor of at most 120 tokens",
    options: preset({ ...lro(), describe: { maxTokens: 120 } }),
    output: { value: over("nested records") },
  },
  {
    name: "lro: without any tool to read",
    options: preset({ ...lro(), drillIn: false }),
    output: { value: over("a JSON array") },
  },
  {
    name: "vectara: cut, without artifact tools",
    options: preset({
      ...vectara({ mode: "truncate", ...quiet }),
      measure: { tokenizer: "characters" },
    }),
    output: { value: over("a text"), ...window },
  },
  {
    name: "vectara: no headroom left",
    options: preset(vectara(quiet)),
    output: {
      value: over("a text", 60),
      conversation: { tokens: 7_900, contextWindowTokens: 8_000 },
    },
  },
  {
    name: "metaCc: a limit in the call's arguments",
    options: preset(metaCc({ environment: {} })),
    output: [
      { value: over("a JSON array"), args: { inline_threshold_bytes: 999_999 } },
      { value: over("a text"), args: { inline_threshold_bytes: "100" } },
    ],
  },
  {
    name: "metaCc: a limit in the environment",
    options: preset(metaCc({ environment: { META_CC_INLINE_THRESHOLD: "50" } })),
    output: { value: "a text that is longer than the fifty bytes of the environment" },
  },
  {
    name: "mcpagent, switched off",
    options: preset(mcpagent({ enabled: false })),
    output: { value: over("a JSON array", 900) },
  },
  {
    name: "a preset for one tool beside another",
    options: preset({
      ...lro(),
      scope: { perTool: { logs: forTool(metaCc({ environment: {} })) } },
    }),
    output: [
      { toolName: "logs", value: over("a log") },
      { toolName: "logs", value: "a line" },
      { toolName: "rows", value: over("a JSON array") },
    ],
  },
];

export const presets: readonly Case[] = walked(ROWS);
