import { BYTES_BETWEEN_PAUSES, pause } from "../../../util/pause.js";
import type { RecordSetPlace } from "./json-outline.js";
import { endOfStringBytes } from "./json-text.js";

const MAX_KEYS = 1 << 22;

export function keyAt(buffer: Buffer, start: number, end: number): string {
  return quotedKey(buffer, start, end).slice(1, -1);
}

/** Without escapes. */
function quotedKey(buffer: Buffer, start: number, end: number): string {
  const token = buffer.toString("utf8", start, end);
  return token.includes("\\") ? `"${JSON.parse(token)}"` : token;
}

/**
 * Whether no key on the path, and no key of a map, occurs twice in its object.
 *
 * @param buffer - Compacted text with the outline's marks.
 */
export async function isFoundByKeys(
  buffer: Buffer,
  place: RecordSetPlace,
  length: number,
): Promise<boolean> {
  let object = { start: 0, end: length };
  for (const [depth, { start, end }] of place.keys.entries()) {
    const key = quotedKey(buffer, start, end);
    if (!(await areKeysUnique(buffer, depth, object, key))) return false;
    object = { start: end + 1, end: afterMark(buffer, depth + 1, place.end, object.end) };
  }
  return !place.isMap || (await areKeysUnique(buffer, place.depth, place));
}

async function areKeysUnique(
  buffer: Buffer,
  depth: number,
  { start, end }: Pick<RecordSetPlace, "start" | "end">,
  only?: string,
): Promise<boolean> {
  // With their quotes, because others can foresee how JavaScript hashes numeric strings.
  const keys = new Set<string>();
  let count = 0;
  let nextPause = start + BYTES_BETWEEN_PAUSES;
  for (let at = start + 1; at < end;) {
    const keyEnd = endOfStringBytes(buffer, at);
    const key = quotedKey(buffer, at, keyEnd);
    if (only === undefined || key === only) {
      keys.add(key);
      count += 1;
    }
    if (keys.size < count || count > MAX_KEYS) return false;
    at = afterMark(buffer, depth + 1, keyEnd, end);
    if (at < nextPause) continue;
    nextPause = at + BYTES_BETWEEN_PAUSES;
    await pause();
  }
  return true;
}

function afterMark(buffer: Buffer, mark: number, from: number, end: number): number {
  const at = buffer.indexOf(mark, from);
  return at === -1 || at >= end ? end : at + 1;
}
