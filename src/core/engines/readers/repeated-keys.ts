import { endOfString } from "../../content/json/json-text.js";

interface Cut {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

interface Member {
  readonly key: string;
  readonly start: number;
}

/** An open object: where the member of each key stands, and the one that is read. */
interface OpenObject {
  readonly members: Map<string, { readonly start: number; readonly end: number }>;
  member: Member | undefined;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;

/** Members of all objects in JSON text, those with a repeated key as well. */
export function countMembers(json: Uint8Array): number {
  let count = 0;
  let inString = false;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === QUOTE) inString = !inString;
    else if (byte === COLON) count += inString ? 0 : 1;
    else if (byte === BACKSLASH) at += 1;
  }
  return count;
}

/** Members of all objects in a value. */
export function countKeys(value: unknown): number {
  let count = 0;
  const left = [value];
  while (left.length > 0) {
    const next = left.pop();
    if (typeof next !== "object" || next === null) continue;
    const members: readonly unknown[] = Object.values(next);
    if (!Array.isArray(next)) count += members.length;
    for (const member of members) if (typeof member === "object") left.push(member);
  }
  return count;
}

/**
 * Takes every member out of JSON text whose key comes again in its object: the last one holds. The tokens of the
 * others stay as they are.
 *
 * @param emptyName - Key that stands for the empty one of the outermost object.
 */
export function withoutRepeatedKeys(json: string, emptyName: string): string {
  const cuts: Cut[] = [];
  const open: (OpenObject | undefined)[] = [];
  let at = 0;

  function endMember(end: number): void {
    const object = open.at(-1);
    if (object?.member === undefined) return;
    const { key, start } = object.member;
    const former = object.members.get(key);
    if (former !== undefined) cuts.push({ ...former, text: "" });
    object.members.set(key, { start, end });
    object.member = undefined;
  }

  function takeString(): void {
    const end = endOfString(json, at);
    const object = open.at(-1);
    if (object !== undefined && object.member === undefined) {
      const key: unknown = JSON.parse(json.slice(at, end));
      object.member = { key: String(key), start: at };
      if (key === "" && open.length === 1)
        cuts.push({ start: at, end, text: JSON.stringify(emptyName) });
    }
    at = end;
  }

  while (at < json.length) {
    const character = json[at];
    if (character === '"') {
      takeString();
      continue;
    }
    at += 1;
    if (character === "{") open.push({ members: new Map(), member: undefined });
    else if (character === "[") open.push(undefined);
    else if (character === ",") endMember(at);
    else if (character === "}" || character === "]") {
      endMember(at - 1);
      open.pop();
    }
  }
  return cut(json, cuts);
}

/** A cut inside another one that began before it is done with that one. */
function cut(json: string, cuts: readonly Cut[]): string {
  let text = "";
  let at = 0;
  for (const { start, end, text: instead } of cuts.toSorted(
    (one, other) => one.start - other.start || other.end - one.end,
  )) {
    if (start < at) continue;
    text += json.slice(at, start) + instead;
    at = end;
  }
  return text + json.slice(at);
}
