/** The section `[prompt.offload]` of the LRO specification. */
export interface Settings {
  /** With `false` every output stays inline. @defaultValue `true` */
  readonly enabled: boolean;
  /** Largest output passed on unchanged, in tokens, 0 to 4,294,967,295. @defaultValue `1600` */
  readonly thresholdTokens: number;
  /** Life of a stored output in seconds, 1 to 8,000,000,000,000. @defaultValue `3600` */
  readonly ttlSeconds: number;
  /** Directory of the stored outputs; empty for the system's temporary directory. @defaultValue `""` */
  readonly outputDir: string;
}

/** A setting of {@link Settings}. */
export type SettingKey = keyof Settings;

/** How one setting is written and what it may be. */
export interface SettingRule<Value> {
  /** Its key in the file's section. */
  readonly fileKey: string;
  readonly defaultValue: Value;
  /** What is allowed, to end the sentence "it must be …". */
  readonly allowed: string;
  /** The setting of a value of the file; `undefined` when it is not allowed. */
  readonly fromFile: (value: unknown) => Value | undefined;
  /** The setting of a text of the environment; `undefined` when it is not allowed. */
  readonly fromEnvironment: (text: string) => Value | undefined;
}

const MAX_U32 = 4_294_967_295;
/** Added to any time of this century, its milliseconds still make a date that JavaScript can write. */
const MAX_TTL_SECONDS = 8_000_000_000_000;
const MAX_PATH_CHARACTERS = 4096;

/** Every setting. @source LRO specification, Configuration. */
export const SETTING_RULES: { readonly [Key in SettingKey]: SettingRule<Settings[Key]> } = {
  enabled: {
    fileKey: "enabled",
    defaultValue: true,
    allowed: "true or false",
    fromFile: (value) => (typeof value === "boolean" ? value : undefined),
    fromEnvironment: readBoolean,
  },
  thresholdTokens: wholeNumber("threshold_tokens", 1600, 0, MAX_U32),
  ttlSeconds: wholeNumber("ttl_seconds", 3600, 1, MAX_TTL_SECONDS),
  outputDir: {
    fileKey: "output_dir",
    defaultValue: "",
    allowed: `a path of at most ${MAX_PATH_CHARACTERS} characters without ~ in front, or empty`,
    fromFile: (value) => (typeof value === "string" ? readPath(value) : undefined),
    fromEnvironment: readPath,
  },
};

/** The settings in the order of the specification. */
export const SETTING_KEYS: readonly SettingKey[] = [
  "enabled",
  "thresholdTokens",
  "ttlSeconds",
  "outputDir",
];

function wholeNumber(
  fileKey: string,
  defaultValue: number,
  min: number,
  max: number,
): SettingRule<number> {
  const inRange = (value: number): number | undefined =>
    Number.isInteger(value) && value >= min && value <= max ? value : undefined;
  return {
    fileKey,
    defaultValue,
    allowed: `a whole number from ${min} to ${max}`,
    fromFile: (value) => (typeof value === "number" ? inRange(value) : undefined),
    // The file may write 6_400, so the environment may too; leading zeros are no octal here.
    fromEnvironment: (text) =>
      /^\+?\d+(_\d+)*$/.test(text) ? inRange(Number(text.replaceAll("_", ""))) : undefined,
  };
}

function readBoolean(text: string): boolean | undefined {
  const lower = text.toLowerCase();
  return lower === "true" ? true : lower === "false" ? false : undefined;
}

/** A shell expands `~`, a configuration file does not: it would name a directory called `~`. */
function readPath(text: string): string | undefined {
  const usable = !text.includes("\0") && !text.startsWith("~");
  return usable && text.length <= MAX_PATH_CHARACTERS ? text : undefined;
}
