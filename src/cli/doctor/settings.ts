import { accessSync, constants, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { resolve } from "node:path";

import { DEFAULT_TEXT_TOKENS } from "../../core/options/resolve.js";
import { type ReadSettings, variableOf } from "../../presets/lro/read-settings.js";
import { SETTING_KEYS, SETTING_RULES } from "../../presets/lro/setting-rules.js";
import { codeOf } from "../../util/files.js";
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

/** Whether outputs can be stored where the settings say; a directory that is not there is made when it is needed. */
export function checkOutputDirectory(settings: readonly SettingInForce[]): Check {
  const given = settings.find(({ key }) => key === SETTING_RULES.outputDir.fileKey)?.value;
  const directory = resolve(String(given || tmpdir()));
  const name = "directory";
  try {
    if (!statSync(directory).isDirectory())
      return {
        name,
        state: "fault",
        detail: `${directory} is no directory; set another output_dir`,
      };
    accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK);
    return { name, state: "ok", detail: directory };
  } catch (error) {
    if (codeOf(error) === "ENOENT")
      return { name, state: "ok", detail: `${directory} is made with the first output` };
    const detail = `${directory} cannot be read and written (${codeOf(error)}); set another output_dir`;
    return { name, state: "fault", detail };
  }
}
