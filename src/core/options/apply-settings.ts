import type { ArtifactStore } from "../store/artifact-store.js";
import { fileStore } from "../store/file/index.js";
import { type ConfigOptions, readSettings, type SettingSource } from "./read-settings.js";
import type { Settings } from "./setting-rules.js";

/** The options that settings stand for. */
export interface SettingOptions {
  readonly enabled?: boolean;
  readonly threshold?: { readonly tokens: number };
  readonly store?: ArtifactStore;
  readonly retention?: { readonly ttlMs?: number };
}

/** The options that settings meet; what else stands in them is passed on. */
export interface ConfigurableOptions {
  readonly enabled?: boolean;
  readonly decide?: {
    readonly threshold?: object;
    readonly defaultThreshold?: object;
    readonly gates?: readonly unknown[];
  };
  readonly store?: ArtifactStore;
  readonly retention?: { readonly ttlMs?: number };
}

/** One value that is in force, and where it came from. */
interface EffectiveSetting<Value> {
  readonly value: Value;
  readonly source: "option" | SettingSource;
}

/** Which values are in force. */
export interface EffectiveSettings {
  readonly enabled: EffectiveSetting<boolean>;
  /**
   * `undefined` when there is none in tokens. One by default is for outputs with records.
   */
  readonly thresholdTokens: EffectiveSetting<number | undefined>;
  /** A fraction when an option gives no whole seconds. */
  readonly ttlSeconds: EffectiveSetting<number>;
  /** `undefined` when an option gives the store. */
  readonly outputDir: EffectiveSetting<string | undefined>;
}

/** Options with the settings under them, and the report. */
export interface AppliedSettings<Options> {
  readonly options: Options;
  /** What the settings stand for where no option is given. */
  readonly defaults: SettingOptions;
  readonly effective: EffectiveSettings;
  /** As `readSettings` gives them. */
  readonly problems: readonly string[];
}

/** The options that these settings stand for, their threshold for all outputs; without `store` when `outputDir` is empty. */
export function toOptions(settings: Settings): SettingOptions {
  const { enabled, thresholdTokens, ttlSeconds, outputDir } = settings;
  return {
    enabled,
    threshold: { tokens: thresholdTokens },
    retention: { ttlMs: ttlSeconds * 1000 },
    ...(outputDir !== "" && { store: fileStore({ directory: outputDir }) }),
  };
}

/**
 * Puts the settings of the environment and of a file under the options: an option that is given
 * wins, also when a preset gave it. Options that no setting stands for are as they were. Each
 * problem becomes a process warning of the type `OffloadConfigWarning`.
 */
export function applySettings<Options extends ConfigurableOptions>(
  given: Options,
  config: ConfigOptions,
): AppliedSettings<Options> {
  const { values, sources, problems } = readSettings(config);
  for (const problem of problems) process.emitWarning(problem, "OffloadConfigWarning");
  const { threshold: stated, ...unlimited } = toOptions(values);
  // What nobody has stated is for the options to fill in: they know of two kinds of outputs.
  const byDefault = given.decide?.defaultThreshold;
  const isStated = stated !== undefined && sources.thresholdTokens !== "default";
  const limit = isStated ? { threshold: stated } : {};
  const defaults = { ...unlimited, ...limit };
  const { enabled, retention, store } = defaults;
  const threshold = given.decide?.threshold;
  // Other gates are there in place of a threshold, not beside one that nobody gave.
  const isGated = threshold !== undefined || given.decide?.gates !== undefined;
  const thresholdOf = (size: object | undefined): number | undefined =>
    isStated || size === undefined ? values.thresholdTokens : tokensOf(size);
  return {
    options: {
      ...given,
      enabled: given.enabled ?? enabled,
      decide: isGated ? given.decide : { ...given.decide, ...limit },
      retention:
        given.retention?.ttlMs === undefined
          ? { ...given.retention, ...retention }
          : given.retention,
      ...(given.store === undefined && store && { store }),
    },
    defaults,
    effective: {
      enabled: inForce(given.enabled, values.enabled, sources.enabled),
      thresholdTokens: !isGated
        ? { value: thresholdOf(byDefault), source: sources.thresholdTokens }
        : { value: tokensOf(threshold ?? {}), source: "option" },
      ttlSeconds: inForce(secondsOf(given.retention?.ttlMs), values.ttlSeconds, sources.ttlSeconds),
      outputDir:
        given.store === undefined
          ? { value: values.outputDir, source: sources.outputDir }
          : { value: undefined, source: "option" },
    },
    problems,
  };
}

function tokensOf(threshold: object): number | undefined {
  const tokens: unknown = "tokens" in threshold ? threshold.tokens : undefined;
  return typeof tokens === "number" ? tokens : undefined;
}

function secondsOf(ttlMs: number | undefined): number | undefined {
  return ttlMs === undefined ? undefined : ttlMs / 1000;
}

function inForce<Value>(
  option: Value | undefined,
  value: Value,
  source: SettingSource,
): EffectiveSetting<Value> {
  return option === undefined ? { value, source } : { value: option, source: "option" };
}
