import type { Gate } from "../gate.js";

/**
 * Lets a call state its own limit in bytes, larger or smaller than the usual one. An argument that is no
 * whole number from 0 up is passed over, and `otherwise` decides, as it does without the argument.
 *
 * @param name - The argument of the tool call; a numeral in a string counts.
 * @param otherwise - The gate for calls that state nothing.
 */
export function argumentLimit(name: string, otherwise: Gate): Gate {
  return (context) => {
    const given = Object.hasOwn(context.args, name) ? context.args[name] : undefined;
    const limitBytes = wholeNumber(given);
    if (limitBytes === undefined) return otherwise(context);
    return { bytes: limitBytes, reason: `argument ${name}` };
  };
}

/** The whole number from 0 up that a value or a numeral is; `undefined` for anything else. */
export function wholeNumber(given: unknown): number | undefined {
  const isNumeral = typeof given === "string" && /^\d{1,15}$/.test(given);
  const value = isNumeral ? Number(given) : given;
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}
