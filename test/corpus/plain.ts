import { createHash } from "node:crypto";

/** Longest text that is pinned as it is, in UTF-16 code units; of a longer one its size, hash and beginning are. */
const MAX_TEXT = 6_000;
const BEGINNING = 200;
/** A ULID; what LangChain and Node name their runs, messages and sessions; the nonce of one try to store a body. */
const ID =
  /[0-7][0-9A-HJKMNP-TV-Z]{25}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?<![0-9a-f])[0-9a-f]{16}(?![0-9a-f])/g;

/** What differs from run to run, and the name that it is pinned by. */
export interface Names {
  /** Texts as they are and what stands for them, such as the temporary directory. */
  readonly fixed: readonly (readonly [text: string, name: string])[];
  /** Ids in the order in which they were first seen. */
  readonly ids: Map<string, string>;
  /** Records that are pinned elsewhere, as JSON of sorted keys, and the name of each. */
  readonly records: ReadonlyMap<string, string>;
}

/**
 * The one place where what is not the same in each run is made so: ids by their order, times that were taken, temporary paths, hashes of
 * random sessions. Objects come with sorted keys; texts of JSON as the JSON, in its own order; long texts by hash.
 */
export function plain(value: unknown, names: Names, maxText: number = MAX_TEXT): unknown {
  try {
    return plainOf(value, { names, maxText, within: new Set() });
  } catch (error) {
    return `<cannot be looked at: ${String(error)}>`;
  }
}

/** JSON of a value with sorted keys, by which equal records are found. */
export function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => {
    if (typeof inner === "bigint") return String(inner);
    const isObject = typeof inner === "object" && inner !== null && !Array.isArray(inner);
    return isObject ? Object.fromEntries(Object.entries(inner).toSorted(byKey)) : inner;
  });
}

interface Place {
  readonly names: Names;
  readonly maxText: number;
  /** Objects around this one: a cycle ends at them. */
  readonly within: ReadonlySet<object>;
}

function plainOf(value: unknown, place: Place): unknown {
  if (typeof value === "string") return plainText(value, place);
  if (typeof value === "boolean" || value === null) return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : `<${value}>`;
  if (typeof value === "function") return "<function>";
  if (typeof value === "symbol" || typeof value === "bigint") return `<${value.toString()}>`;
  if (typeof value !== "object") return "<nothing>";
  if (place.within.has(value)) return "<itself>";
  const inside = { ...place, within: new Set([...place.within, value]) };
  if (value instanceof Uint8Array) return plainBytes(value, place);
  if (value instanceof Error) return plainError(value, inside);
  if (Array.isArray(value)) return value.map((item) => plainOf(item, inside));
  const name = place.names.records.get(sortedJson(value));
  return name === undefined
    ? plainObject(value, inside)
    : named(`<record of ${name}>`, place.names);
}

function plainObject(value: object, place: Place): unknown {
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  const pairs = entries.toSorted(byKey).map(([key, inner]) => {
    const isTaken = key === "durationMs" && typeof inner === "number";
    return [named(key, place.names), isTaken ? "<ms>" : plainOf(inner, place)];
  });
  return Object.fromEntries(pairs);
}

function plainError(error: Error, place: Place): unknown {
  const code: unknown = Reflect.get(error, "code");
  const { name, message, cause } = error;
  return plainObject({ error: name, code, message, cause }, place);
}

/** Text where the bytes are one, and their hash otherwise. */
function plainBytes(bytes: Uint8Array, place: Place): unknown {
  const text = Buffer.from(bytes).toString("utf8");
  if (Buffer.from(text).equals(bytes)) return plainText(text, place);
  return { bytes: bytes.length, sha256: hashOf(bytes) };
}

function plainText(given: string, { names, maxText }: Place): unknown {
  const text = named(given, names);
  if (text.length > maxText) {
    return { sha256: hashOf(text), characters: text.length, begins: text.slice(0, BEGINNING) };
  }
  const json = jsonOf(text);
  if (json !== undefined) return { json };
  return text.includes("\n") ? { lines: text.split("\n") } : text;
}

/** The object or list that a text is, where nothing of the text is lost by it. */
function jsonOf(text: string): unknown {
  if (!/^[[{]/.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return JSON.stringify(value) === text ? value : undefined;
  } catch {
    return undefined;
  }
}

function named(text: string, { fixed, ids }: Names): string {
  let result = text;
  for (const [given, name] of fixed) result = result.replaceAll(given, name);
  return result.replaceAll(ID, (id) => {
    const name = ids.get(id) ?? `<id ${ids.size + 1}>`;
    ids.set(id, name);
    return name;
  });
}

function hashOf(data: string | Uint8Array): string {
  return createHash("sha256").update(data).digest("hex");
}

function byKey([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1;
}
