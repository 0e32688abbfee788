import { BYTES_BETWEEN_PAUSES, pause } from "../../../util/pause.js";
import type { RecordSetPlace } from "./json-outline.js";
import { endOfStringBytes, type JsonPlace, QUOTE } from "./json-text.js";

/** A set that doubles holds the event loop: a million keys would take 80 ms. */
const MAX_KEYS = 1 << 19;

export function keyAt(buffer: Buffer, { start, end }: JsonPlace): string {
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
  object: JsonPlace,
  only?: string,
): Promise<boolean> {
  // With their quotes, because others can foresee how JavaScript hashes numeric strings.
  const keys = new Set<string>();
  let nextPause = object.start + BYTES_BETWEEN_PAUSES;
  for (const { key, end } of membersOf(buffer, depth, object)) {
    if (only === undefined || key === only) {
      if (keys.has(key) || keys.size === MAX_KEYS) return false;
      keys.add(key);
    }
    if (end < nextPause) continue;
    nextPause = end + BYTES_BETWEEN_PAUSES;
    await pause();
  }
  return true;
}

const MAX_SAMPLED_VALUES = 64;
const MAX_SAMPLED_KEYS = 256;

/** Tells a map (ids to records) from an object with a schema: its values have mostly the same keys. */
export function hasLikeValues(buffer: Buffer, place: RecordSetPlace): boolean {
  const having = new Map<string, number>();
  let [all, values] = [0, 0];
  for (const { value, end } of membersOf(buffer, place.depth, place)) {
    values += 1;
    let keys = 0;
    for (const { key } of membersOf(buffer, place.depth + 1, { start: value, end: end - 1 })) {
      having.set(key, (having.get(key) ?? 0) + 1);
      keys += 1;
      if (keys === MAX_SAMPLED_KEYS) break;
    }
    all += keys;
    if (values === MAX_SAMPLED_VALUES) break;
  }
  const common = [...having.values()].filter((count) => count * 2 >= values);
  const share = place.count >= 8 ? 0.5 : 0.9;
  return all > 0 && common.reduce((sum, count) => sum + count, 0) >= all * share;
}

interface MarkedMember {
  /** With quotes, without escapes. */
  readonly key: string;
  readonly value: number;
  /** After the mark. */
  readonly end: number;
}

function* membersOf(
  buffer: Buffer,
  depth: number,
  { start, end }: JsonPlace,
): Generator<MarkedMember, void> {
  for (let at = start + 1; at < end && buffer[at] === QUOTE;) {
    const keyEnd = endOfStringBytes(buffer, at);
    const next = afterMark(buffer, depth + 1, keyEnd, end);
    yield { key: quotedKey(buffer, at, keyEnd), value: keyEnd + 1, end: next };
    at = next;
  }
}

function afterMark(buffer: Buffer, mark: number, from: number, end: number): number {
  const at = buffer.indexOf(mark, from);
  return at === -1 || at >= end ? end : at + 1;
}
