import { anyJson, isPlain } from "./any-json.js";

/**
 * The JSON of a value: `JSON.stringify`'s where that tells all of it, else {@link anyJson}'s. `undefined` where JSON
 * has nothing for it, or no string could hold it. Never throws.
 */
export function jsonOf(value: unknown): string | undefined {
  try {
    if (tellsAll(value)) return JSON.stringify(value);
  } catch {
    // A getter that throws the second time, or nesting beyond the stack.
  }
  try {
    return anyJson(value);
  } catch {
    return undefined;
  }
}

/** Whether `JSON.stringify` tells all of a value. Never throws. */
export function tellsAll(value: unknown): boolean {
  try {
    return isPlain(value);
  } catch {
    return false;
  }
}

/** The JSON of any value; `null` where there is none. Never throws. */
export function someJsonOf(value: unknown): string {
  return jsonOf(value) ?? "null";
}
