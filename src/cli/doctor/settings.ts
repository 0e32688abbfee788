import { type ReadSettings, variableOf } from "../../options/read-settings.js";
import { DEFAULT_TEXT_TOKENS, SETTING_KEYS, SETTING_RULES } from "../../options/setting-rules.js";
import type { Check } from "./check.js";

/** One setting in force, by its key in the TOML file. */
export interface SettingInForce {
  readonly key: string;
  readonly value: string | number | boolean;
  /** `--directory`, the variable, the file, or `default`. */
  readonly source: string;
}

/** The settings in force, with the place that each came from. */
export function settingsInForce(
  { values, sources }: ReadSettings,
  {
    directory,
    config = "",
  }: { readonly directory: string | undefined; readonly config?: string | undefined },
): SettingInForce[] {
  return SETTING_KEYS.map((name) => {
    const rule = SETTING_RULES[name];
    if (name === "outputDir" && directory !== undefined) {
      return { key: rule.fileKey, value: directory, source: "--directory" };
    }
    const places = { environment: variableOf(rule), file: config, default: "default" };
    return { key: rule.fileKey, value: values[name], source: places[sources[name]] };
  });
}

/** The settings as lines of the report, and what was wrong with those that were given. */
export function checkSettings(
  settings: readonly SettingInForce[],
  problems: readonly string[],
): Check[] {
  return [
    ...settings.map(({ key, value, source }): Check => {
      const shown = value === "" ? '""' : String(value);
      const isOpen = key === SETTING_RULES.thresholdTokens.fileKey && source === "default";
      const ofText = isOpen ? `; ${DEFAULT_TEXT_TOKENS} without records` : "";
      return { name: key, state: "ok", detail: `${shown} (${source}${ofText})` };
    }),
    ...problems.map((detail): Check => ({ name: "settings", state: "warning", detail })),
  ];
}
