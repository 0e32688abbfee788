import type { DescribeStageOptions, OffloadOptions } from "../core/options/options.js";
import { atlatl, lro, mcpagent, metaCc, vectara } from "../presets/index.js";
import { fileStore } from "../core/store/file/index.js";

/** The forms of a descriptor that can be asked for; `auto` follows the data. */
export const SEAT_FORMS = ["auto", "full", "generic", "bare"] as const;

/** Every published design, by the name that it is asked for. */
export const SEAT_PRESETS = ["lro", "atlatl", "mcpagent", "vectara", "meta-cc"] as const;

/** The window that a share of it is taken of, in tokens. */
const WINDOW_TOKENS = 128_000;

type Environment = Readonly<Record<string, string | undefined>>;
type SeatPreset = (typeof SEAT_PRESETS)[number];

/** What an agent is told to do; its outputs lie in a directory. */
export interface SeatSettings {
  readonly directory: string;
  /** None: the defaults of the library. */
  readonly preset?: SeatPreset | undefined;
  /** Not for a preset with a form of its own. */
  readonly form?: DescribeStageOptions["form"];
  /** Outputs of so many tokens stay as they are, in place of the preset's limit. */
  readonly thresholdTokens?: number | undefined;
  readonly env: Environment;
  readonly now: () => number;
}

type PresetMaker = (directory: string, env: Environment) => OffloadOptions;

const MAKERS: Readonly<Record<SeatPreset, PresetMaker>> = {
  lro: () => lro(),
  atlatl: () => atlatl(),
  mcpagent: (directory) => mcpagent({ folder: directory }),
  vectara: () => vectara(),
  "meta-cc": (_directory, environment) => metaCc({ environment }),
};

/** Presets whose descriptors are of no form but their own. */
const OWN_FORM: readonly (SeatPreset | undefined)[] = ["mcpagent", "vectara", "meta-cc"];

/** Whether a descriptor of the preset can be had in a form that is asked for. */
export function takesForm(preset: SeatPreset | undefined): boolean {
  return !OWN_FORM.includes(preset);
}

/** The options of an agent whose outputs lie in a directory. */
export function seatOptions(settings: SeatSettings): OffloadOptions {
  const { directory, preset, form, thresholdTokens: tokens, env, now } = settings;
  return {
    ...(preset !== undefined && { preset: MAKERS[preset](directory, env) }),
    // That one has a folder for each session.
    ...(preset !== "mcpagent" && { store: fileStore({ directory }) }),
    now,
    contextWindowTokens: WINDOW_TOKENS,
    ...(form !== undefined && { describe: { form } }),
    ...(tokens !== undefined && { threshold: { tokens } }),
  };
}
