/** Longest JSON that is made of a value on the way of a tool call, in UTF-16 units, about. */
const MAX_CHARACTERS = 65_536;
const MAX_DEPTH = 32;
/** What a member takes beside its text. */
const MEMBER_CHARACTERS = 4;

/** The JSON of a value; `undefined` where it has none, or more of it than a look at every member is worth. Never throws. */
export function shortJson(value: unknown): string | undefined {
  try {
    return restOf(value, MAX_CHARACTERS, 0) < 0 ? undefined : JSON.stringify(value);
  } catch {
    return undefined;
  }
}

/** What is left of a room when a value has taken its part; below 0 as soon as there is none. */
function restOf(value: unknown, room: number, depth: number): number {
  if (typeof value === "string") return room - value.length - MEMBER_CHARACTERS;
  if (typeof value !== "object" || value === null) return room - MEMBER_CHARACTERS;
  if (depth === MAX_DEPTH) return -1;
  let left = room - MEMBER_CHARACTERS;
  // The places of a list are all made before the first one is looked at.
  if (elementsOf(value) * MEMBER_CHARACTERS > left) return -1;
  for (const key in value) {
    left = restOf(Reflect.get(value, key), left - key.length, depth + 1);
    if (left < 0) break;
  }
  return left;
}

function elementsOf(value: object): number {
  if (Array.isArray(value)) return value.length;
  return ArrayBuffer.isView(value) ? value.byteLength : 0;
}
