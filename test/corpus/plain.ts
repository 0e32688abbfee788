import { createHash } from "node:crypto";

/** Longest text, in UTF-16 code units, that is pinned as it is where it is data; of a longer one its size and hash are. */
const MAX_TEXT = 200;
/** A text without white space: a name, a code, a place. Every other text is a sentence, or data, and is not pinned here. */
const WORD = /^\S{0,120}$/;
/** A ULID; what LangChain and Node name their runs, messages and sessions. */
const ID = /[0-7][0-9A-HJKMNP-TV-Z]{25}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
/** Figures that follow from the wording of a descriptor or an answer, or from a clock. */
const OF_WORDING = new Set([
  "answerTokens",
  "descriptorTokens",
  "durationMs",
  "returnedTokens",
  "tokensSaved",
]);

/** What differs from run to run, and the name that it is pinned by. */
export interface Names {
  /** Texts as they are and what stands for them, such as the temporary directory. */
  readonly fixed: readonly (readonly [text: string, name: string])[];
  /** Ids in the order in which they were first seen. */
  readonly ids: Map<string, string>;
  /** Ids of records that are pinned by themselves. */
  readonly records: ReadonlySet<string>;
}

/**
 * What is pinned of a value: its keys, numbers, and texts of one word; of a text that is a JSON object the paths of its
 * fields. Every sentence is `<text>`.
 */
export function plain(value: unknown, names: Names): unknown {
  try {
    return plainOf(value, names, new Set());
  } catch (error) {
    return `<cannot be looked at: ${Object(error).constructor.name}>`;
  }
}

function plainOf(value: unknown, names: Names, within: ReadonlySet<object>): unknown {
  if (typeof value === "string") return plainText(value, names);
  if (typeof value === "boolean" || value === null) return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : `<${value}>`;
  if (typeof value !== "object") return `<${typeof value}>`;
  if (within.has(value)) return "<itself>";
  const inside = new Set([...within, value]);
  if (value instanceof Uint8Array) return data(value);
  if (value instanceof Error) return { error: value.name, code: Reflect.get(value, "code") };
  if (Array.isArray(value)) return value.map((item) => plainOf(item, names, inside));
  const id: unknown = Reflect.get(value, "id");
  if (typeof id === "string" && names.records.has(id) && "sessionKey" in value) {
    return named(`<record of ${id}>`, names);
  }
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(
    entries
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, inner]) => [
        named(key, names),
        OF_WORDING.has(key) ? "<figure>" : plainOf(inner, names, inside),
      ]),
  );
}

/** Data as text where it is one and short, by size and hash otherwise. */
export function data(bytes: Uint8Array): unknown {
  const text = Buffer.from(bytes).toString("utf8");
  if (text.length <= MAX_TEXT && Buffer.from(text).equals(bytes)) return text;
  return { bytes: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") };
}

/** The paths of all fields of a value, in their order, `[]` for the items of a list, those of a text that is JSON too. */
export function fieldsOf(value: unknown): string[] {
  const paths = new Set<string>();
  const visit = (given: unknown, path: string): void => {
    const inner = typeof given === "string" ? (jsonOf(given) ?? given) : given;
    if (Array.isArray(inner)) return inner.forEach((item) => visit(item, `${path}[]`));
    if (typeof inner !== "object" || inner === null || ArrayBuffer.isView(inner)) {
      return void paths.add(path);
    }
    for (const [key, item] of Object.entries(inner)) {
      visit(item, path === "" ? key : `${path}.${key}`);
    }
  };
  visit(value, "");
  return [...paths];
}

function jsonOf(text: string): unknown {
  if (!/^[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function plainText(given: string, names: Names): unknown {
  const text = named(given, names);
  const json = jsonOf(text);
  if (json !== undefined) return { fields: fieldsOf(json) };
  return WORD.test(given) ? text : "<text>";
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
