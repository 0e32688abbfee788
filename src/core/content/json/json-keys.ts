import type { RecordSetPlace } from "./json-outline.js";
import { endOfStringBytes } from "./json-ends.js";
import { BYTES_BETWEEN_PAUSES, pause } from "../../../util/pause.js";

/** A byte of a key takes at most so many where it is escaped. */
const LONGEST_ESCAPE_BYTES = 6;

/**
 * Whether a path of keys can mean one record set only: no key on the way to it comes twice in its object.
 *
 * @param buffer - The compacted text with the outline's marks: the byte `depth + 1` between the members of an object.
 */
export async function isPathUnique(
  buffer: Buffer,
  { keys, end: setEnd }: RecordSetPlace,
  length: number,
): Promise<boolean> {
  let objectStart = 0;
  let objectEnd = length;
  for (const [depth, place] of keys.entries()) {
    const mark = depth + 1;
    const key = keyAt(buffer, place.start, place.end);
    const longestBytes = LONGEST_ESCAPE_BYTES * (place.end - place.start);
    let nextPause = BYTES_BETWEEN_PAUSES;
    let at = objectStart + 1;
    while (at < objectEnd) {
      const keyEnd = endOfStringBytes(buffer, at);
      const isLike = at !== place.start && keyEnd - at <= longestBytes;
      if (isLike && keyAt(buffer, at, keyEnd) === key) return false;
      // Nothing in the set is a member of the objects around it.
      at = after(buffer, mark, at === place.start ? setEnd : keyEnd, objectEnd);
      if (at < nextPause) continue;
      nextPause = at + BYTES_BETWEEN_PAUSES;
      await pause();
    }
    objectStart = place.end + 1;
    objectEnd = after(buffer, mark, setEnd, objectEnd);
  }
  return true;
}

/** Offset after the next such byte before `end`; `end` where there is none. */
function after(buffer: Buffer, mark: number, from: number, end: number): number {
  const at = buffer.indexOf(mark, from);
  return at === -1 || at >= end ? end : at + 1;
}

/** The key of a token, escapes undone. */
export function keyAt(buffer: Buffer, start: number, end: number): string {
  const token = buffer.toString("utf8", start, end);
  return token.includes("\\") ? String(JSON.parse(token)) : token.slice(1, -1);
}
