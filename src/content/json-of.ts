/**
 * The JSON of a value, big integers as strings; `undefined` where JSON has nothing for it.
 *
 * @throws what `JSON.stringify` throws, for a cycle or a `toJSON` that fails.
 */
export function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return JSON.stringify(value, (_, part: unknown) =>
      typeof part === "bigint" ? part.toString() : part,
    );
  }
}

/** The JSON of any value: a value that has none is written as its text, or as `null`. Never throws. */
export function someJsonOf(value: unknown): string {
  try {
    return jsonOf(value) ?? "null";
  } catch {
    // A cycle, or a `toJSON` that throws.
  }
  try {
    return JSON.stringify(String(value));
  } catch {
    return "null";
  }
}
