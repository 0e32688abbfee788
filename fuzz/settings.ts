import fc from "fast-check";

import {
  type ArtifactStore,
  type DrillInOptions,
  fileStore,
  memoryStore,
  type OffloadOptions,
} from "langchain-offload/core";
import { atlatl, lro, mcpagent, metaCc, vectara } from "langchain-offload/presets";

/** Options of one round, as data: what makes them is called when the round begins. */
export interface Settings {
  readonly preset: PresetName;
  readonly store: "memory" | "file" | "full" | "silent";
  readonly options: Omit<OffloadOptions, "drillIn"> & { readonly drillIn: DrillInOptions };
}

type PresetName = "none" | "lro" | "atlatl" | "mcpagent" | "metaCc" | "vectara";

const PRESETS: Readonly<Record<PresetName, () => OffloadOptions>> = {
  none: () => ({}),
  lro: () => lro(),
  atlatl: () => atlatl(),
  mcpagent: () => mcpagent(),
  metaCc: () => metaCc(),
  vectara: () => vectara(),
};

const limits: fc.Arbitrary<DrillInOptions> = fc.option(
  fc.record(
    {
      maxAnswerTokens: fc.constantFrom(120, 300, 2000, 8000),
      timeoutMs: fc.constantFrom(300, 2000),
    },
    { requiredKeys: ["timeoutMs"] },
  ),
  { nil: { timeoutMs: 2000 }, freq: 2 },
);

export const settings: fc.Arbitrary<Settings> = fc.record({
  preset: fc.constantFrom<PresetName>(
    "none",
    "none",
    "none",
    "lro",
    "atlatl",
    "mcpagent",
    "metaCc",
    "vectara",
  ),
  store: fc.constantFrom<Settings["store"]>("memory", "file", "file", "full", "silent"),
  options: fc.record(
    {
      threshold: fc.oneof(
        fc.record({ tokens: fc.constantFrom(100, 400, 1600, 6400) }),
        fc.record({ bytes: fc.constantFrom(500, 8192) }),
      ),
      mode: fc.constantFrom("store" as const, "store" as const, "truncate" as const),
      onStoreFailure: fc.constantFrom("truncate" as const, "inline" as const),
      contextWindowTokens: fc.constantFrom(20_000, 200_000),
      turnBudget: fc.record({ tokens: fc.constantFrom(2000, 20_000) }),
      drillIn: limits,
      fileFormat: fc.constantFrom("lro" as const, "original" as const),
      describe: fc.record({
        form: fc.constantFrom("generic" as const, "bare" as const),
      }),
    },
    { requiredKeys: ["drillIn"] },
  ),
});

/** The options that settings stand for. */
export function optionsOf(
  { preset, store, options }: Settings,
  { directory, nowMs }: { readonly directory: string; readonly nowMs: number },
): OffloadOptions {
  // A preset's own parts stay whole: what is random stands in for the usual options.
  const own = preset === "none" ? options : { drillIn: options.drillIn };
  return {
    preset: PRESETS[preset](),
    ...own,
    drillIn: { ...own.drillIn, sql: {} },
    store: STORES[store](directory, () => nowMs),
    now: () => nowMs,
  };
}

const STORES: Readonly<
  Record<Settings["store"], (directory: string, now: () => number) => ArtifactStore>
> = {
  memory: (_directory, now) => memoryStore({ now }),
  file: (directory, now) => fileStore({ directory, now }),
  full: () => failing("No space left."),
  silent: () => failing("Not reached."),
};

/** A store that takes nothing; every read of it fails too. */
function failing(why: string): ArtifactStore {
  const refuse = (): Promise<never> => Promise.reject(new Error(why));
  return {
    ...memoryStore(),
    name: "failing",
    put: refuse,
    read: refuse,
    stat: refuse,
    list: refuse,
  };
}
