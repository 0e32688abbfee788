/** Settings of the LRO specification, from the environment and a file, and what options come to. */
export {
  type EffectiveSettings,
  type SettingOptions,
  toOptions,
} from "./core/options/apply-settings.js";
export type {
  ResolvedOffloadOptions,
  ResolvedToolOptions,
} from "./core/options/resolved-options.js";
export {
  type ConfigOptions,
  readSettings,
  type ReadSettings,
} from "./core/options/read-settings.js";
export { resolveOptions } from "./core/options/resolve-options.js";
export type { Settings } from "./core/options/setting-rules.js";
