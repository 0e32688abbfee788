import { createHash } from "node:crypto";
import { isProxy } from "node:util/types";

/** Longer texts are told by their hash and beginning, in UTF-16 code units. */
const MAX_TEXT = 20_000;

/** Texts that differ from run to run, and the name of each. */
export type Names = readonly (readonly [text: string, name: string])[];

/** A value as JSON data that can be compared: random names replaced, times that were taken left out. */
export function plain(value: unknown, names: Names, within: readonly unknown[] = []): unknown {
  try {
    return plainOf(value, names, within);
  } catch (error) {
    return `<cannot be looked at: ${String(error)}>`;
  }
}

function plainOf(value: unknown, names: Names, within: readonly unknown[]): unknown {
  if (typeof value === "string") return plainText(value, names);
  if (typeof value === "boolean" || value === null) return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : `<${value}>`;
  if (typeof value === "bigint" || typeof value === "symbol") return `<${value.toString()}>`;
  if (typeof value !== "object") return `<${typeof value}>`;
  if (within.includes(value)) return "<itself>";
  if (isProxy(value)) return "<proxy>";
  const inside = [...within, value];
  if (value instanceof Uint8Array) return { bytes: value.length, sha256: hashOf(value) };
  if (Array.isArray(value)) return value.map((item) => plain(item, names, inside));
  const told =
    value instanceof Error
      ? { error: value.name, code: Reflect.get(value, "code"), message: value.message }
      : value;
  const entries = Object.entries(told).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(
    entries.map(([key, inner]) => [
      plainText(key, names),
      key === "durationMs" ? "<ms>" : plain(inner, names, inside),
    ]),
  );
}

function plainText(given: string, names: Names): string {
  let text = given;
  for (const [random, name] of names) text = text.replaceAll(random, name);
  if (text.length <= MAX_TEXT) return text;
  return `<${text.length} characters, sha256 ${hashOf(text)}> ${text.slice(0, 200)}`;
}

function hashOf(data: string | Uint8Array): string {
  return createHash("sha256").update(data).digest("hex");
}
