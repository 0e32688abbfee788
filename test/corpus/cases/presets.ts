import { atlatl, lro, mcpagent, metaCc, type OffloadOptions, vectara } from "../entries.js";
import { memories, outputsOf } from "../data.js";
import type { Case } from "../pins.js";
import type { Rig } from "../rig.js";
import { type Given, pipelineCases, type PipelineRow } from "../offload-case.js";

const quiet = { onWarning: () => {} };
const window = { conversation: { tokens: 2_000, contextWindowTokens: 8_000 } };
/** So that small outputs leave, too. */
const LIMIT = { threshold: { tokens: 1600 } };
const PRESETS: Readonly<
  Record<
    string,
    { readonly options: OffloadOptions; readonly size: number; readonly given?: Given }
  >
> = {
  lro: { options: { preset: lro(), ...LIMIT }, size: 100 },
  atlatl: { options: { preset: atlatl(), ...LIMIT }, size: 400 },
  mcpagent: { options: { preset: mcpagent({ thresholdTokens: 1_000 }) }, size: 100 },
  vectara: { options: { preset: vectara(quiet) }, size: 100, given: window },
  metaCc: { options: { preset: metaCc() }, size: 120 },
};

/** A preset with the rig's store: the counts of the true tokenizer stay. */
const preset =
  (options: OffloadOptions) =>
  ({ store }: Rig): OffloadOptions => ({ ...options, store });

const over = (name: string, size = 120): string => outputsOf(size)[name] ?? "";

const ROWS: readonly PipelineRow[] = [
  ...Object.entries(PRESETS).map(([name, { options, size, given }]) => ({
    name: `${name}: nested records`,
    options: preset(options),
    output: { value: over("nested records", size), args: { query: "all", limit: 5 }, ...given },
  })),
  {
    name: "lro: memories that were recalled",
    options: preset({ preset: lro(), ...LIMIT }),
    output: {
      toolName: "recall_memories",
      value: JSON.stringify(memories),
      args: { query: "cache" },
    },
  },
  {
    name: "a preset for one tool beside another",
    options: preset({
      preset: lro(),
      ...LIMIT,
      perTool: { logs: { preset: metaCc() } },
    }),
    output: [
      { toolName: "logs", value: over("a log") },
      { toolName: "logs", value: "a line" },
      { toolName: "rows", value: over("a JSON array") },
    ],
  },
];

export const presets: readonly Case[] = pipelineCases(ROWS);
