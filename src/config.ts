/** Settings of the LRO specification, from the environment and a file, and what options come to. */
export {
  type EffectiveSettings,
  type SettingOptions,
  toOptions,
} from "./options/apply-settings.js";
export type { ResolvedOffloadOptions, ResolvedToolOptions } from "./options/resolved-options.js";
export { type ConfigOptions, readSettings, type ReadSettings } from "./options/read-settings.js";
export { resolveOptions } from "./options/resolve-options.js";
export type { Settings } from "./options/setting-rules.js";
