import { readFileSync } from "node:fs";
import { parse, TomlError } from "smol-toml";
import * as z from "zod";

import { parsedJson } from "../../core/content/value/any-json.js";
import { messageOf } from "../../util/error-message.js";
import { isRecord, type JsonObject } from "../../util/is-record.js";
import { shorten } from "../../util/safe-text.js";

/** The section `[prompt.offload]` of the LRO specification, as far as the environment or the file has it. */
interface Settings {
  readonly enabled?: boolean;
  readonly threshold_tokens?: number;
  readonly ttl_seconds?: number;
  readonly output_dir?: string;
}

/** Where to read settings. An omitted place is not read. */
export interface SettingPlaces {
  /** Variables that may contain `ATLATL_PROMPT__OFFLOAD__…`, such as `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** A TOML file with the section `[prompt.offload]`. A relative path starts at the working directory. */
  readonly file?: string | undefined;
}

interface ReadSettings {
  readonly given: Settings;
  /** One sentence each: the problem, its place, what is allowed, and that the value was ignored. */
  readonly problems: readonly string[];
}

const MAX_U32 = 4_294_967_295;
/** Keeps any expiry of this century within the range of JavaScript dates. */
const MAX_TTL_SECONDS = 8_000_000_000_000;
const MAX_PATH_CHARACTERS = 4096;
const MAX_SHOWN_CHARACTERS = 80;
const ENVIRONMENT_PREFIX = "ATLATL_PROMPT__OFFLOAD__";

type Rule = readonly [schema: z.ZodType, allowed: string];

const whole = (min: number, max: number): Rule => [
  z.int().min(min).max(max),
  `a whole number from ${min} to ${max}`,
];

/** In the order of the specification. */
const SETTING_RULES: ReadonlyMap<string, Rule> = new Map([
  ["enabled", [z.boolean(), "true or false"]],
  ["threshold_tokens", whole(0, MAX_U32)],
  ["ttl_seconds", whole(1, MAX_TTL_SECONDS)],
  [
    "output_dir",
    [
      // A shell expands `~`, but a configuration file does not.
      z
        .string()
        .max(MAX_PATH_CHARACTERS)
        .regex(/^(?!~)[^\0]*$/),
      `a path of at most ${MAX_PATH_CHARACTERS} characters without ~ in front, or empty`,
    ],
  ],
]);

/**
 * Reads the settings of the LRO specification. The environment overrides the file. An invalid value is ignored, so the
 * next source counts. Never throws.
 */
export function readSettings({ env = {}, file }: SettingPlaces = {}): ReadSettings {
  const problems: string[] = [];
  const given: Record<string, unknown> = {};
  const take = (place: string, key: string, written: unknown, meant = written) => {
    const [schema, allowed] = SETTING_RULES.get(key) ?? [];
    // Report misspelt names, which would otherwise have no effect.
    if (schema === undefined) {
      const names = [...SETTING_RULES.keys()].join(", ");
      problems.push(`There is no setting ${place}; there are ${names}`);
      return;
    }
    const value = [written, meant].find((one) => schema.safeParse(one).success);
    if (value === undefined) problems.push(`${place} is ${shown(written)}; it must be ${allowed}`);
    else given[key] = value;
  };
  try {
    const section = file === undefined ? {} : readSection(file);
    for (const [key, value] of Object.entries(section))
      take(`prompt.offload.${key} in ${file}`, key, value);
  } catch (error) {
    problems.push(messageOf(error));
  }
  // What comes later wins.
  for (const [name, text] of Object.entries(env)) {
    if (!name.startsWith(ENVIRONMENT_PREFIX) || text === undefined) continue;
    const key = name.slice(ENVIRONMENT_PREFIX.length).toLowerCase();
    const written = text.trim();
    // It may be a boolean or a number.
    take(name, key, written, parsedJson(written.toLowerCase()));
  }
  return { given, problems: problems.map((problem) => `${problem}. It is ignored.`) };
}

/**
 * The section `[prompt.offload]` of a TOML file; empty when it has none.
 * @throws Error with a sentence when the file cannot be read, is no TOML (with the line), or has something else there.
 */
export function readSection(file: string): JsonObject {
  let section: unknown;
  try {
    section = parse(new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(file)));
  } catch (error) {
    const place = error instanceof TomlError ? ` at line ${error.line}` : "";
    const [reason = ""] = messageOf(error).replace(/\.$/, "").split("\n");
    throw new Error(`${file} cannot be read${place}: ${reason}`, { cause: error });
  }
  for (const key of ["prompt", "offload"]) {
    section = Object.hasOwn(Object(section), key) ? Reflect.get(Object(section), key) : {};
    if (!isRecord(section) || section instanceof Date)
      throw new Error(`${key} in ${file} is not a table; write the section [prompt.offload]`);
  }
  return Object(section);
}

function shown(value: unknown): string {
  return shorten(
    typeof value === "number" ? String(value) : JSON.stringify(value),
    MAX_SHOWN_CHARACTERS,
  );
}
