/** Longest JSON that is parsed to see what is in it, in UTF-16 units or bytes: that takes some 10 ms. */
const MAX_PARSED_CHARACTERS = 1_048_576;

/** A value in a JSON text, and the keys that lead to it. */
export interface JsonMember {
  readonly path: readonly string[];
  readonly value: unknown;
}

/**
 * The members of a JSON text, in their order; places in lists are keys too.
 *
 * @param enters - Which containers are replaced by their members. Has to say no at some depth.
 * @returns `undefined` for a text that is no JSON, or longer than 1 MiB.
 */
export function membersIn(
  json: string | Uint8Array,
  enters: (path: readonly string[]) => boolean,
): readonly JsonMember[] | undefined {
  if (json.length > MAX_PARSED_CHARACTERS) return undefined;
  const members: JsonMember[] = [];
  const walk = (path: readonly string[], value: unknown): void => {
    if (typeof value !== "object" || value === null || !enters(path)) members.push({ path, value });
    else for (const [key, member] of Object.entries(value)) walk([...path, key], member);
  };
  try {
    walk([], JSON.parse(typeof json === "string" ? json : new TextDecoder().decode(json)));
    return members;
  } catch {
    return undefined;
  }
}
