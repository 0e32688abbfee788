import type { RecordSet } from "../../types/content.js";
import { jsonOf } from "../value/any-json.js";
import { parseExactly } from "./parse-exactly.js";

/** In UTF-16 units or bytes; takes at most 20 ms. */
const MAX_PARSED_CHARACTERS = 262_144;

export interface JsonMember {
  readonly path: readonly string[];
  readonly value: unknown;
}

/**
 * Parses once, and gives the members in order; indexes of lists are keys. A number that a double may not hold is a text
 * with all its digits.
 *
 * @returns A reader; `enters` says which containers to replace by their members, and must bound the depth. `undefined`
 * for invalid JSON, or more than 256 KiB.
 */
export function membersIn(
  json: string | Uint8Array,
): ((enters: (path: readonly string[]) => boolean) => readonly JsonMember[]) | undefined {
  if (json.length > MAX_PARSED_CHARACTERS) return undefined;
  try {
    const text = typeof json === "string" ? json : new TextDecoder().decode(json);
    const root = parseExactly(text, (token) => `"${token}"`);
    return (enters) => {
      const members: JsonMember[] = [];
      const visit = (path: readonly string[], value: unknown) => {
        if (typeof value !== "object" || value === null || !enters(path))
          members.push({ path, value });
        else for (const [key, member] of Object.entries(value)) visit([...path, key], member);
      };
      visit([], root);
      return members;
    };
  } catch {
    return undefined;
  }
}

/** A value and the bytes of its JSON; infinite if it is nested too deep. */
export interface RestMember extends JsonMember {
  readonly bytes: number;
}

/** What a document has beside its record sets; `undefined` if that is more than 256 KiB. */
export function restOf(sets: readonly RecordSet[]): readonly RestMember[] | undefined {
  const setAt = (path: readonly string[]) =>
    sets.find(({ path: to }) => path.every((key, at) => key === to[at]))?.path;
  return membersIn(sets[0]?.envelope ?? "{}")?.((path) => path.length < (setAt(path)?.length ?? 0))
    ?.filter(({ path }) => setAt(path) === undefined)
    .map((member) => {
      const json = jsonOf(member.value);
      return { ...member, bytes: json === undefined ? Infinity : Buffer.byteLength(json) };
    });
}
