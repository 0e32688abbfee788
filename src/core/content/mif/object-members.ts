import { endOfString, endOfValue } from "../json/json-ends.js";

/** One member of a JSON object, as places in its text. */
export interface MemberSpan {
  readonly key: string;
  /** Where the key's quote opens. */
  readonly start: number;
  readonly valueStart: number;
  /** After the value. */
  readonly end: number;
}

const COMMA = 44;
const COLON = 58;

/**
 * The members of an object in their order, repeated keys included. Empty for anything but an object.
 *
 * @param text - Valid JSON without white space between its tokens.
 */
export function objectMembers(text: string): readonly MemberSpan[] {
  const members: MemberSpan[] = [];
  if (!text.startsWith("{") || text === "{}") return members;
  let start = 1;
  while (start < text.length) {
    const keyEnd = endOfString(text, start);
    const key: unknown = JSON.parse(text.slice(start, keyEnd));
    const valueStart = text.charCodeAt(keyEnd) === COLON ? keyEnd + 1 : keyEnd;
    const end = endOfValue(text, valueStart);
    members.push({ key: String(key), start, valueStart, end });
    if (text.charCodeAt(end) !== COMMA) break;
    start = end + 1;
  }
  return members;
}

/** The object without those of its members; everything else keeps its text. */
export function withoutMembers(
  text: string,
  members: readonly MemberSpan[],
  isDropped: (member: MemberSpan) => boolean,
): string {
  if (!members.some(isDropped)) return text;
  const kept = members.filter((member) => !isDropped(member));
  return `{${kept.map(({ start, end }) => text.slice(start, end)).join(",")}}`;
}
