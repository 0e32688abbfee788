import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** Presets that are compared; `none` is what a user gets without any. */
export const PRESETS = ["none", "lro", "atlatl", "mcpagent", "vectara", "metaCc"] as const;
export type Preset = (typeof PRESETS)[number];

/** What a scenario asks of the library, in words that no version changes. */
export interface Settings {
  readonly preset: Preset;
  readonly nowMs: number;
  /** Options as users write them, where a scenario is about one. */
  readonly options?: Readonly<Record<string, unknown>> | undefined;
  /** Outputs are kept in files here, and in memory otherwise. */
  readonly directory?: string | undefined;
  /** The store refuses to take anything. */
  readonly isFailing?: boolean | undefined;
}

export type Output = Readonly<Record<string, unknown>>;

/** A tool as a model has it. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly run: (args: unknown) => Promise<{ readonly text: string; readonly failed: boolean }>;
}

/** What was stored: the record as the store has it, and its body in a few figures. */
export interface Stored {
  readonly id: string;
  readonly record: unknown;
  readonly body: { readonly bytes: number; readonly sha256: string } | undefined;
}

/** An offloader, and all that it tells. */
export interface Opened {
  readonly offload: (output: Output) => Promise<Record<string, unknown>>;
  readonly tools: () => readonly Tool[];
  readonly events: readonly unknown[];
  readonly stored: () => Promise<readonly Stored[]>;
}

type Call = (...args: unknown[]) => unknown;
type Exports = Readonly<Record<string, Call | undefined>>;
interface Kept {
  readonly id: string;
  readonly sessionKey: string;
  /** The session key in versions before. */
  readonly scope?: string;
}
type Method = (...args: unknown[]) => Promise<unknown>;
type Store = Readonly<Record<"put" | "stat" | "read", Method> & Partial<Record<string, Method>>>;
interface Shared {
  readonly offload: (output: unknown) => Promise<Record<string, unknown>>;
  readonly tools?: (sessionId: string) => readonly Tool[];
}

/** Options as versions without `preset` have them. */
function inOldNames(options: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { fileFormat, mode, threshold, tokenizer, ...others } = options;
  return {
    ...others,
    ...(fileFormat !== undefined && { encode: fileFormat === "original" ? "as-came" : fileFormat }),
    ...(mode !== undefined && { decide: { mode, threshold } }),
    ...(mode === undefined && threshold !== undefined && { threshold }),
    ...(tokenizer !== undefined && { measure: { tokenizer } }),
  };
}

/**
 * The one place that calls the package. Names are looked for in all its entry points, so that one that moves is found;
 * one that is renamed gets its new name beside the old here.
 */
export async function openLibrary(folder: string): Promise<(settings: Settings) => Opened> {
  const find = await finderOf(folder);
  const createOffloader = await find("createOffloader");
  const memoryStore = await find("memoryStore");
  const fileStore = await find("fileStore");
  const sqlEngine = await find("sqlEngine").catch(() => undefined);
  const modelTools = await find("modelTools").catch(() => undefined);
  const presets = {
    none: () => ({}),
    lro: await find("lro"),
    atlatl: await find("atlatl"),
    mcpagent: await find("mcpagent"),
    vectara: await find("vectara"),
    metaCc: await find("metaCc"),
  };
  const given: Partial<Record<Preset, unknown>> = {
    mcpagent: { thresholdTokens: 1_000 },
    vectara: { onWarning: () => {} },
  };

  // Before, a preset was spread, and options stood in parts.
  const usesPresets = Symbol.for("langchain-offload.preset") in Object(presets.lro());

  // Engines are started once for all scenarios of the same options.
  const offloaders = new Map<string, Shared>();
  const current: { inner?: Store; put: Kept[]; events: unknown[] } = { put: [], events: [] };
  let scenario = 0;

  function offloaderOf(settings: Settings): Shared {
    const { preset, nowMs, options = {}, directory, isFailing = false } = settings;
    const key = JSON.stringify([preset, options, directory, isFailing]);
    const found = offloaders.get(key);
    if (found !== undefined) return found;
    const inner = (): Store => current.inner as Store;
    const delegate = (name: string): Method => {
      if (name !== "put") return async (...args) => await inner()[name]?.(...args);
      return async (...args) => {
        if (isFailing) throw new Error("disk full");
        const kept = await inner().put(...args);
        current.put.push(kept as Kept);
        return kept;
      };
    };
    const parts = Object.entries(inner()).map(([name, part]: [string, unknown]) => [
      name,
      typeof part === "function" ? delegate(name) : part,
    ]);
    const store = Object.fromEntries(parts) as unknown;
    const base = presets[preset](given[preset]) as Readonly<Record<string, object>>;
    const tools = {
      ...(preset === "lro" && { names: { extract: "lro_extract" } }),
      sql: sqlEngine?.() ?? {},
      timeoutMs: 60_000,
    };
    const below = usesPresets
      ? { preset: base, drillIn: tools, ...options }
      : { ...base, drillIn: { ...base["drillIn"], ...tools }, ...inOldNames(options) };
    const now = (): number => nowMs;
    const onEvent = (event: unknown): void => void current.events.push(event);
    const made = createOffloader({ ...below, store, now, onEvent }) as Shared;
    offloaders.set(key, made);
    return made;
  }

  return (settings) => {
    const now = (): number => settings.nowMs;
    const { directory } = settings;
    const inner = (
      directory === undefined ? memoryStore({ now }) : fileStore({ directory, now })
    ) as Store;
    const mine = { inner, put: [] as Kept[], events: [] as unknown[] };
    Object.assign(current, mine);
    const sessionId = `session-${(scenario += 1)}`;
    const offloader = offloaderOf(settings);
    return {
      events: mine.events,
      offload: async (output) => await offloader.offload({ sessionId, ...output }),
      tools: () =>
        offloader.tools?.(sessionId) ?? (modelTools?.(offloader, { sessionId }) as readonly Tool[]),
      stored: async () => await Promise.all(mine.put.map((kept) => storedOf(inner, kept))),
    };
  };
}

async function storedOf(store: Store, kept: Kept): Promise<Stored> {
  const record = await store.stat(kept.id, kept.scope ?? kept.sessionKey);
  if (record === undefined) return { id: kept.id, record: kept, body: undefined };
  const body = (await store.read(record)) as Uint8Array;
  const sha256 = createHash("sha256").update(body).digest("hex");
  return { id: kept.id, record, body: { bytes: body.length, sha256 } };
}

/** Entry points that need the least come first. */
const FIRST = ["./core", "./presets", "./plugin", "."];

/** Looks for an exported function under each entry point of a package. */
async function finderOf(folder: string): Promise<(name: string) => Promise<Call>> {
  const { exports } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
  };
  const entries = [...new Set([...FIRST, ...Object.keys(exports)])].flatMap((entry) => {
    const target = exports[entry];
    return typeof target === "object" ? [pathToFileURL(join(folder, target.default)).href] : [];
  });
  return async (name) => {
    for (const entry of entries) {
      const found = ((await import(entry)) as Exports)[name];
      if (found !== undefined) return found;
    }
    throw new Error(`No entry point exports ${name}: scripts/compare/adapter.ts has its old name.`);
  };
}
