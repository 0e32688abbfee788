import { words } from "../data.js";
import {
  createOffloader,
  fileStore,
  lro,
  mcpagent,
  memoryStore,
  metaCc,
  offloadHumanMessages,
  offloadMiddleware,
  type OffloadOptions,
  offloadToolNode,
  vectara,
} from "../entries.js";
import type { Case } from "../pins.js";
import { outputOf, tellOf } from "../walk.js";

/** What has a type that no option allows. */
const wrong = (value: unknown): never => value as never;
const { refresh: _, ...still } = memoryStore();

/** Makers that refuse what they are given, each with a sentence for whoever wrote it. */
const REFUSED: Readonly<Record<string, () => unknown>> = {
  "a key that is none": () => createOffloader(wrong({ treshold: 5 })),
  "limits that are none": () =>
    createOffloader({
      decide: { threshold: { tokens: -1 }, contextWindowTokens: 1.5, mode: wrong("cut") },
    }),
  "a limit without a unit": () => createOffloader({ decide: { threshold: wrong(1_600) } }),
  "a turn's budget of one tool": () =>
    createOffloader({
      scope: { perTool: { t: wrong({ decide: { turnBudget: { tokens: 1 } } }) } },
    }),
  "a store of one tool": () =>
    createOffloader({ scope: { perTool: { t: wrong({ store: memoryStore() }) } } }),
  "a cap of one tool": () =>
    createOffloader({
      scope: { perTool: { t: wrong({ retention: { perStore: { files: 1 } } }) } },
    }),
  "a store that is none": () => createOffloader({ store: wrong({ put: 5 }) }),
  "a life that a store cannot prolong": () =>
    createOffloader({ store: still, retention: { refreshOnRead: true } }),
  "a life that is none": () =>
    createOffloader({ retention: { ttlMs: 0, sweepIntervalMs: 2 ** 40 } }),
  "tools of one name": () =>
    createOffloader({ drillIn: { names: { read: "look", grep: "look" } } }),
  "a name that no tool can have": () =>
    createOffloader({ drillIn: { names: { read: "look here" } } }),
  "a tokenizer that nobody has": () => createOffloader({ measure: { tokenizer: wrong("claude") } }),
  "a selector with nothing in it": () =>
    createOffloader({ scope: { include: { metadata: { a: wrong(undefined) } } } }),
  "references that are none": () => createOffloader({ references: { tool: wrong("rows") } }),
  "a file store's folders": () => fileStore({ folders: wrong("tool") }),
  "a preset's numbers": () => [vectara({ contextFraction: 2, minBytes: -1 })],
  "a preset's floor above its ceiling": () => vectara({ minBytes: 10, maxBytes: 5 }),
  "mcpagent without a limit": () => mcpagent({ thresholdTokens: 0 }),
  "metaCc with half a byte": () => metaCc({ inlineThresholdBytes: 0.5 }),
  "a middleware with an offloader and its options": () =>
    offloadMiddleware({
      offloader: createOffloader({ store: memoryStore() }),
      store: memoryStore(),
    } as never),
  "a middleware's tools": () =>
    offloadMiddleware({ store: memoryStore(), showTools: wrong("never") }),
  "short messages of the user": () =>
    offloadMiddleware({ store: memoryStore(), humanMessages: { threshold: { tokens: 10 } } }),
  "messages of the user that nobody could read": () =>
    offloadHumanMessages({ store: memoryStore(), drillIn: false, threshold: { tokens: 2_000 } }),
  "a tool node's options": () => offloadToolNode([], wrong({ store: memoryStore(), nodes: 1 })),
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
  none: {},
  "of the environment": { config: { env } },
  "of the environment under options": { config: { env }, decide: { threshold: { tokens: 70 } } },
  "of the environment under a preset": { config: { env }, ...lro() },
  "of the environment for one tool": {
    config: { env },
    scope: {
      perTool: { search: { decide: {} }, other: { decide: { threshold: { tokens: 70 } } } },
    },
  },
  "of the environment where nothing can be read": {
    config: { env },
    drillIn: false,
    decide: { whenNoDrillIn: "raise" },
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
