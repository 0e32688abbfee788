import { endOfString } from "../json-ends.js";

/** A member `"key":value` of a map as the record `{"key":…,"value":…}`. */
export function memberRecord(member: string): string {
  const keyEnd = endOfString(member, 0);
  return `{"key":${member.slice(0, keyEnd)},"value":${member.slice(keyEnd + 1)}}`;
}
