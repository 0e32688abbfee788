import { words } from "../data.js";
import {
  createOffloader,
  memoryStore,
  offloadMiddleware,
  type OffloadOptions,
} from "../entries.js";
import type { Case } from "../pins.js";
import { outputOf, tellOf } from "../walk.js";

/** What has a type that no option allows. */
const wrong = (value: unknown): never => value as never;

/** Makers that refuse what they are given, each with a sentence for whoever wrote it. */
const REFUSED: Readonly<Record<string, () => unknown>> = {
  "a key that is none": () => createOffloader(wrong({ treshold: 5 })),
  "limits that are none": () =>
    createOffloader({
      decide: { threshold: { tokens: -1 }, contextWindowTokens: 1.5, mode: wrong("cut") },
    }),
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
  "of the environment under options": { config: { env }, decide: { threshold: { tokens: 70 } } },
  "of the environment for one tool": {
    config: { env },
    scope: {
      perTool: { search: { decide: {} }, other: { decide: { threshold: { tokens: 70 } } } },
    },
  },
  "that switch off": { config: { env: { ATLATL_PROMPT__OFFLOAD__ENABLED: "false" } } },
  "of a file that is not there": { config: { file: "/nonexistent/offload.toml" } },
};

const settings: readonly Case[] = Object.entries(SETTINGS).map(([name, options]) => ({
  name: `settings: ${name}`,
  run: async (rig) => {
    // Which limit is in force where nobody states one, is the question.
    const { threshold: _limit, ...stated } = rig.options({
      ...options,
      measure: { tokenizer: "characters" },
    });
    const offloader = createOffloader(stated);
    const value = words(60);
    const told = await tellOf(offloader.offload(outputOf({ value })), value);
    const { effective, toolNames } = offloader.options;
    await offloader.close();
    return await rig.pinned({ told, effective, toolNames });
  },
}));

export const options: readonly Case[] = [...refused, ...settings];
