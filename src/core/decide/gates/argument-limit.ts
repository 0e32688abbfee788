import type { Gate } from "../gate.js";

/**
 * Lets a call set its own limit in bytes. Without the argument, or if it is no whole number from 0 up, `otherwise`
 * decides.
 *
 * @param name - The argument of the tool call; a numeral in a string counts.
 * @param otherwise - The gate for calls that set no limit.
 */
export function argumentLimit(name: string, otherwise: Gate): Gate {
  return (context) => {
    const limitBytes = wholeNumber(context.args[name]);
    if (limitBytes === undefined) return otherwise(context);
    return { bytes: limitBytes, reason: `argument ${name}` };
  };
}

export function wholeNumber(given: unknown): number | undefined {
  const isNumeral = typeof given === "string" && /^\d{1,15}$/.test(given);
  const value = isNumeral ? Number(given) : given;
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}
