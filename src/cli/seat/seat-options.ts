import type { OffloadOptions } from "../../core/options/options.js";
import { SEAT_FORMS, SEAT_PRESETS, seatOptions, takesForm } from "../../seat/seat-options.js";
import type { Command, Given, Surroundings } from "../command.js";
import { wrongUsage } from "../wrong-usage.js";

/** Options of the commands that show what a model sees. */
export const SEAT_OPTIONS: Command["options"] = {
  preset: { type: "string" },
  form: { type: "string" },
  threshold: { type: "string" },
  json: { type: "boolean" },
};

/**
 * The options of an agent whose outputs lie in a directory.
 *
 * @throws {@link OffloadError} with code `INVALID_ARGUMENTS` for a preset or form that there is not.
 */
export function givenSeatOptions(
  given: Given,
  directory: string,
  { env, now }: Surroundings,
): OffloadOptions {
  const preset = oneOf("preset", SEAT_PRESETS, given);
  const form = oneOf("form", SEAT_FORMS, given);
  const thresholdTokens = given.number("threshold", 0);
  if (form !== undefined && !takesForm(preset)) {
    throw wrongUsage(
      `The preset ${preset} has a form of its own; --form goes with lro, atlatl or none.`,
    );
  }
  return seatOptions({ directory, preset, form, thresholdTokens, env, now });
}

function oneOf<Name extends string>(
  option: "preset" | "form",
  names: readonly Name[],
  given: Given,
): Name | undefined {
  const asked = given.text(option);
  const found = names.find((name) => name === asked);
  if (asked === undefined || found !== undefined) return found;
  throw wrongUsage(
    `There is no ${option} ${JSON.stringify(asked)}; there are ${names.join(", ")}.`,
  );
}
