import { atlatl, lro, mcpagent, metaCc, vectara } from "../../presets/index.js";
import type { DescribeStageOptions, OffloadOptions } from "../../options/options.js";
import { fileStore } from "../../store/file/index.js";
import type { Command, Given, Surroundings } from "../command.js";
import { wrongUsage } from "../wrong-usage.js";

/** Options of the commands that show what a model sees. */
export const SEAT_OPTIONS: Command["options"] = {
  preset: { type: "string" },
  form: { type: "string" },
  threshold: { type: "string" },
  json: { type: "boolean" },
};

/** The window that a share of it is taken of, in tokens. */
const WINDOW_TOKENS = 128_000;
const FORMS = ["auto", "full", "generic", "bare"] as const;

type PresetMaker = (directory: string, env: Surroundings["env"]) => OffloadOptions;

const PRESETS: Readonly<Record<string, PresetMaker>> = {
  lro: (directory) => ({ ...lro(), store: fileStore({ directory }) }),
  atlatl: (directory) => ({ ...atlatl(), store: fileStore({ directory }) }),
  mcpagent: (directory) => mcpagent({ folder: directory }),
  vectara: (directory) => ({ ...vectara(), store: fileStore({ directory }) }),
  "meta-cc": (directory, environment) => ({
    ...metaCc({ environment }),
    store: fileStore({ directory }),
  }),
};

const ofNone: PresetMaker = (directory) => ({ store: fileStore({ directory }) });

/**
 * The options of an agent whose outputs lie in a directory.
 *
 * @throws {@link OffloadError} with code `INVALID_ARGUMENTS` for a preset or form that there is not.
 */
export function seatOptions(
  given: Given,
  directory: string,
  { env, now }: Surroundings,
): OffloadOptions {
  const preset = given.text("preset");
  const maker = preset === undefined ? ofNone : Object.hasOwn(PRESETS, preset) && PRESETS[preset];
  if (!maker) {
    const names = Object.keys(PRESETS).join(", ");
    throw wrongUsage(`There is no preset ${JSON.stringify(preset)}; there are ${names}.`);
  }
  const { describe, decide, ...options } = maker(directory, env);
  const form = formOf(given);
  const tokens = given.number("threshold", 0);
  if (form !== undefined && describe?.describer !== undefined) {
    throw wrongUsage(
      `The preset ${preset} has a form of its own; --form goes with lro, atlatl or none.`,
    );
  }
  return {
    ...options,
    now,
    decide: { ...decide, contextWindowTokens: WINDOW_TOKENS },
    describe: { ...describe, ...(form !== undefined && { form }) },
    ...(tokens !== undefined && { threshold: { tokens } }),
  };
}

function formOf(given: Given): DescribeStageOptions["form"] {
  const asked = given.text("form");
  const form = FORMS.find((one) => one === asked);
  if (asked === undefined || form !== undefined) return form;
  throw wrongUsage(`There is no form ${JSON.stringify(asked)}; there are ${FORMS.join(", ")}.`);
}
