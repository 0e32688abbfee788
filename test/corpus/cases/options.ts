import { words } from "../data.js";
import {
  createOffloader,
  lro,
  memoryStore,
  offloadMiddleware,
  type OffloadOptions,
} from "../entries.js";
import type { Case } from "../pins.js";
import { outputOf, tellOf } from "../offload-case.js";

/** What has a type that no option allows. */
const wrong = (value: unknown): never => value as never;

/** Makers that refuse what they are given, each with a sentence for whoever wrote it. */
const REFUSED: Readonly<Record<string, () => unknown>> = {
  "a key that is none": () => createOffloader(wrong({ treshold: 5 })),
  "limits that are none": () =>
    createOffloader({ threshold: { tokens: -1 }, contextWindowTokens: 1.5, mode: wrong("cut") }),
  "a store that is none": () => createOffloader({ store: wrong({ put: 5 }) }),
  "a middleware with an offloader and its options": () =>
    offloadMiddleware({
      offloader: createOffloader({ store: memoryStore() }),
      store: memoryStore(),
    } as never),
};

const refused: readonly Case[] = Object.entries(REFUSED).map(([name, make]) => ({
  name: `refused: ${name}`,
  run: async (rig) => {
    const made = await tellOf((async () => await Promise.resolve(make()))());
    return await rig.pinned("rejected" in Object(made) ? made : "nothing was refused");
  },
}));

const env = {
  ATLATL_PROMPT__OFFLOAD__THRESHOLD_TOKENS: "50",
  ATLATL_PROMPT__OFFLOAD__TTL_SECONDS: "5",
  ATLATL_PROMPT__OFFLOAD__ENABLED: "perhaps",
};

/** Settings of the environment under options and presets: what is in force, and what becomes of 60 tokens. */
const SETTINGS: Readonly<Record<string, OffloadOptions>> = {
  "of the environment under options": { preset: lro({ env }), threshold: { tokens: 70 } },
  "of the environment for one tool": {
    preset: lro({ env }),
    perTool: { search: {}, other: { threshold: { tokens: 70 } } },
  },
  "that switch off": { preset: lro({ env: { ATLATL_PROMPT__OFFLOAD__ENABLED: "false" } }) },
  "of a file that is not there": { preset: lro({ file: "/nonexistent/offload.toml" }) },
};

const settings: readonly Case[] = Object.entries(SETTINGS).map(([name, options]) => ({
  name: `settings: ${name}`,
  run: async (rig) => {
    const offloader = createOffloader(rig.options({ ...options, tokenizer: "characters" }));
    const value = words(60);
    const told = await tellOf(offloader.offload(outputOf({ value })), value);
    const { enabled, thresholdTokens, ttlMs, perTool, toolNames } = offloader.options;
    const limits = [...perTool].map(([tool, own]) => [tool, own.thresholdTokens]);
    await offloader.close();
    return await rig.pinned({ told, enabled, thresholdTokens, ttlMs, limits, toolNames });
  },
}));

export const options: readonly Case[] = [...refused, ...settings];
