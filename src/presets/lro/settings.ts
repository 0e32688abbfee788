import { readFileSync, statSync } from "node:fs";
import { parse, TomlError } from "smol-toml";
import * as z from "zod";

import { isRecord } from "../../util/is-record.js";
import { shorten } from "../../util/safe-text.js";

/** The section `[prompt.offload]` of the LRO specification. */
export interface Settings {
  /** With `false` every output stays inline. @defaultValue `true` */
  readonly enabled: boolean;
  /** Largest output passed on unchanged, in tokens, 0 to 4,294,967,295. @defaultValue `1600` */
  readonly thresholdTokens: number;
  /** Retention of a stored output in seconds, 1 to 8,000,000,000,000. @defaultValue `3600` */
  readonly ttlSeconds: number;
  /** Directory of the stored outputs; empty for the system's temporary directory. @defaultValue `""` */
  readonly outputDir: string;
}

/** Where to read settings. An omitted place is not read. */
export interface SettingPlaces {
  /** Variables that may contain `ATLATL_PROMPT__OFFLOAD__…`, such as `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** A TOML file with the section `[prompt.offload]`. A relative path starts at the working directory. */
  readonly file?: string | undefined;
}

/** Settings, and the problems found while reading. */
export interface ReadSettings {
  readonly values: Settings;
  /** Those that the environment or the file has. */
  readonly given: Partial<Settings>;
  /** One sentence each: the problem, its place, what is allowed, and that the value was ignored. */
  readonly problems: readonly string[];
}

const MAX_U32 = 4_294_967_295;
/** Keeps any expiry of this century within the range of JavaScript dates. */
const MAX_TTL_SECONDS = 8_000_000_000_000;
const MAX_PATH_CHARACTERS = 4096;
const MAX_FILE_BYTES = 1024 * 1024;
const MAX_SHOWN_CHARACTERS = 80;
const ENVIRONMENT_PREFIX = "ATLATL_PROMPT__OFFLOAD__";

/** @source LRO specification, Configuration. */
const DEFAULTS: Settings = {
  enabled: true,
  thresholdTokens: 1600,
  ttlSeconds: 3600,
  outputDir: "",
};

interface SettingRule {
  readonly name: keyof Settings;
  readonly key: string;
  readonly value: z.ZodType;
  readonly allowed: string;
}

const whole = (min: number, max: number): Pick<SettingRule, "value" | "allowed"> => ({
  value: z.int().min(min).max(max),
  allowed: `a whole number from ${min} to ${max}`,
});

/** In the order of the specification. */
export const SETTING_RULES: readonly SettingRule[] = [
  { name: "enabled", key: "enabled", value: z.boolean(), allowed: "true or false" },
  { name: "thresholdTokens", key: "threshold_tokens", ...whole(0, MAX_U32) },
  { name: "ttlSeconds", key: "ttl_seconds", ...whole(1, MAX_TTL_SECONDS) },
  {
    name: "outputDir",
    key: "output_dir",
    // A shell expands `~`, but a configuration file does not.
    value: z
      .string()
      .max(MAX_PATH_CHARACTERS)
      .regex(/^(?!~)[^\0]*$/),
    allowed: `a path of at most ${MAX_PATH_CHARACTERS} characters without ~ in front, or empty`,
  },
];

function variableOf(key: string): string {
  return ENVIRONMENT_PREFIX + key.toUpperCase();
}

/**
 * Reads the settings of the LRO specification. The environment overrides the file, and the file
 * overrides the default. An invalid value is ignored, so the next source counts. Never throws.
 */
export function readSettings({ env = {}, file }: SettingPlaces = {}): ReadSettings {
  const problems: string[] = [];
  const given: Partial<Settings> = {};
  let section: Readonly<Record<string, unknown>> = {};
  try {
    if (file !== undefined) section = readSection(file);
  } catch (error) {
    problems.push(messageOf(error));
  }
  for (const { name, key, value: rule, allowed } of SETTING_RULES) {
    const take = (place: string, written: unknown, value = written): void => {
      if (written === undefined) return;
      if (rule.safeParse(value).success) Object.assign(given, { [name]: value });
      else problems.push(`${place} is ${shown(written)}; it must be ${allowed}`);
    };
    const text = env[variableOf(key)];
    take(`prompt.offload.${key} in ${file}`, section[key]);
    // What comes later wins. No rule allows `NaN`.
    take(variableOf(key), text, valueOf(text?.trim() ?? "", DEFAULTS[name]) ?? NaN);
  }
  const keys = SETTING_RULES.map(({ key }) => key);
  const variables = keys.map(variableOf);
  // Report misspelt names, which would otherwise have no effect.
  for (const key of Object.keys(section))
    if (!keys.includes(key))
      problems.push(
        `prompt.offload in ${file} has no key ${shown(key)}; it has ${keys.join(", ")}`,
      );
  for (const name of Object.keys(env))
    if (name.startsWith(ENVIRONMENT_PREFIX) && !variables.includes(name))
      problems.push(`There is no variable ${shown(name)}; there are ${variables.join(", ")}`);
  return {
    values: { ...DEFAULTS, ...given },
    given,
    problems: problems.map((problem) => `${problem}. It is ignored.`),
  };
}

/** The value of an environment text; `undefined` when it does not fit the type. */
function valueOf(text: string, like: Settings[keyof Settings]): unknown {
  if (typeof like === "string") return text;
  if (typeof like === "boolean") return { true: true, false: false }[text.toLowerCase()];
  return /^\d+$/.test(text) ? Number(text) : undefined;
}

/**
 * The section `[prompt.offload]` of a TOML file of at most 1 MiB; empty when it has none.
 * @throws Error with a sentence when the file cannot be read, is no TOML (with the line), or has something else there.
 */
export function readSection(file: string): Readonly<Record<string, unknown>> {
  let section: unknown;
  try {
    const stats = statSync(file);
    // Reading a pipe would block the process.
    if (!stats.isFile()) throw new Error("it is not a regular file");
    if (stats.size > MAX_FILE_BYTES) throw new Error(`it is over ${MAX_FILE_BYTES} bytes`);
    section = parse(new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(file)));
  } catch (error) {
    const place = error instanceof TomlError ? ` at line ${error.line}` : "";
    const [reason = ""] = messageOf(error).split("\n");
    throw new Error(`${file} cannot be read${place}: ${reason}`, { cause: error });
  }
  for (const key of ["prompt", "offload"]) {
    section = Object.hasOwn(Object(section), key) ? Reflect.get(Object(section), key) : {};
    if (!isRecord(section) || section instanceof Date)
      throw new Error(`${key} in ${file} is not a table; write the section [prompt.offload]`);
  }
  return Object(section);
}

function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\.$/, "");
}

function shown(value: unknown): string {
  return shorten(
    typeof value === "number" ? String(value) : JSON.stringify(value),
    MAX_SHOWN_CHARACTERS,
  );
}
