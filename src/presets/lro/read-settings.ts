import { readFileSection } from "./read-settings-file.js";
import {
  SETTING_KEYS,
  SETTING_RULES,
  type SettingKey,
  type SettingRule,
  type Settings,
} from "./setting-rules.js";

/** Where settings are read from. What is not given is not read. */
export interface SettingPlaces {
  /** Variables to look in for `ATLATL_PROMPT__OFFLOAD__…`, such as `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** A TOML file with the section `[prompt.offload]`. A relative path starts at the working directory. */
  readonly file?: string | undefined;
}

/** Where a setting's value came from. */
type SettingSource = "environment" | "file" | "default";

/** Settings with their sources, and what was wrong on the way. */
export interface ReadSettings {
  readonly values: Settings;
  readonly sources: { readonly [Key in SettingKey]: SettingSource };
  /** One sentence each: what was wrong, where, what is allowed, and that it was ignored. */
  readonly problems: readonly string[];
}

const ENVIRONMENT_PREFIX = "ATLATL_PROMPT__OFFLOAD__";
const MAX_SHOWN_CHARACTERS = 80;

/**
 * Reads the settings of the LRO specification: the environment comes before the file, the file
 * before the default. A value that is not allowed is ignored, so that what comes after it counts.
 * Never throws.
 */
export function readSettings({ env = {}, file }: SettingPlaces = {}): ReadSettings {
  const section = file === undefined ? { values: {}, problems: [] } : readFileSection(file);
  const problems = [...section.problems];

  function read<Value>(rule: SettingRule<Value>): { value: Value; source: SettingSource } {
    const variable = variableOf(rule);
    const text = env[variable];
    const fromEnvironment = text === undefined ? undefined : rule.fromEnvironment(text.trim());
    if (text !== undefined && fromEnvironment === undefined) {
      problems.push(notAllowed(variable, text, rule.allowed));
    }
    const given = Object.hasOwn(section.values, rule.fileKey);
    const fromFile = given ? rule.fromFile(section.values[rule.fileKey]) : undefined;
    if (given && fromFile === undefined) {
      const place = `prompt.offload.${rule.fileKey} in ${file}`;
      problems.push(notAllowed(place, section.values[rule.fileKey], rule.allowed));
    }
    if (fromEnvironment !== undefined) return { value: fromEnvironment, source: "environment" };
    if (fromFile !== undefined) return { value: fromFile, source: "file" };
    return { value: rule.defaultValue, source: "default" };
  }

  const enabled = read(SETTING_RULES.enabled);
  const thresholdTokens = read(SETTING_RULES.thresholdTokens);
  const ttlSeconds = read(SETTING_RULES.ttlSeconds);
  const outputDir = read(SETTING_RULES.outputDir);
  problems.push(...unknownNames(Object.keys(section.values), Object.keys(env), file));
  return {
    values: {
      enabled: enabled.value,
      thresholdTokens: thresholdTokens.value,
      ttlSeconds: ttlSeconds.value,
      outputDir: outputDir.value,
    },
    sources: {
      enabled: enabled.source,
      thresholdTokens: thresholdTokens.source,
      ttlSeconds: ttlSeconds.source,
      outputDir: outputDir.source,
    },
    problems,
  };
}

/** The variable of the environment for a setting. */
export function variableOf({ fileKey }: { readonly fileKey: string }): string {
  return ENVIRONMENT_PREFIX + fileKey.toUpperCase();
}

function notAllowed(place: string, value: unknown, allowed: string): string {
  return `${place} is ${shown(value)}; it must be ${allowed}. It is ignored.`;
}

/** A misspelt name would otherwise change nothing without a word. */
function unknownNames(
  fileKeys: readonly string[],
  variables: readonly string[],
  file: string | undefined,
): string[] {
  const rules = SETTING_KEYS.map((key) => SETTING_RULES[key]);
  const knownKeys = rules.map(({ fileKey }) => fileKey);
  const knownVariables = rules.map((rule) => variableOf(rule));
  return [
    ...fileKeys
      .filter((key) => !knownKeys.includes(key))
      .map(
        (key) =>
          `prompt.offload in ${file} has no key ${shown(key)}; it has ${knownKeys.join(", ")}. It is ignored.`,
      ),
    ...variables
      .filter((name) => name.startsWith(ENVIRONMENT_PREFIX) && !knownVariables.includes(name))
      .map(
        (name) =>
          `There is no variable ${shown(name)}; there are ${knownVariables.join(", ")}. It is ignored.`,
      ),
  ];
}

function shown(value: unknown): string {
  const text =
    typeof value === "bigint" || typeof value === "number"
      ? String(value)
      : JSON.stringify(value, (_, part: unknown) =>
          typeof part === "bigint" ? part.toString() : part,
        );
  return text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}…` : text;
}
