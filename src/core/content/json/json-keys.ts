import { BYTES_BETWEEN_PAUSES, pause } from "../../../util/pause.js";
import type { RecordSetPlace } from "./json-outline.js";
import { endOfStringBytes } from "./json-text.js";

/** `\u0000` for one byte. */
const LONGEST_ESCAPE_BYTES = 6;
const BACKSLASH = 0x5c;
/** Limits against keys made to collide. By chance, 100 million keys need about 30 looks and 3 equal hashes. */
const MAX_LOOKS = 256;
const MAX_ALIKE = 8;

export function keyAt(buffer: Buffer, start: number, end: number): string {
  const token = buffer.toString("utf8", start, end);
  return token.includes("\\") ? String(JSON.parse(token)) : token.slice(1, -1);
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
  let [objectStart, objectEnd] = [0, length];
  for (const [depth, { start, end }] of place.keys.entries()) {
    const key = keyAt(buffer, start, end);
    const longestBytes = LONGEST_ESCAPE_BYTES * (end - start);
    const isUnique = await everyKey(
      buffer,
      { depth, start: objectStart, end: objectEnd },
      (at, keyEnd) => {
        if (at === start) return place.end;
        const isLike = keyEnd - at <= longestBytes && keyAt(buffer, at, keyEnd) === key;
        return isLike ? undefined : keyEnd;
      },
    );
    if (!isUnique) return false;
    objectStart = end + 1;
    objectEnd = afterMark(buffer, depth + 1, place.end, objectEnd);
  }
  if (!place.isMap) return true;
  const keys = createJsonKeySet(buffer, place.count);
  return await everyKey(buffer, place, (at, end) => (keys.add(at, end) ? end : undefined));
}

async function everyKey(
  buffer: Buffer,
  { depth, start, end }: Pick<RecordSetPlace, "depth" | "start" | "end">,
  look: (keyStart: number, keyEnd: number) => number | undefined,
): Promise<boolean> {
  let nextPause = start + BYTES_BETWEEN_PAUSES;
  for (let at = start + 1; at < end;) {
    const from = look(at, endOfStringBytes(buffer, at));
    if (from === undefined) return false;
    at = afterMark(buffer, depth + 1, from, end);
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

export interface JsonKeySet {
  /** `false` if the key is known, whatever its escapes, or if too many keys collide. */
  add(start: number, end: number): boolean;
}

export function createJsonKeySet(buffer: Buffer, maxKeys: number): JsonKeySet {
  const slots = 2 ** Math.ceil(Math.log2(2 * maxKeys + 2));
  const hashes = new Int32Array(slots);
  const starts = new Uint32Array(slots);
  const ends = new Uint32Array(slots);

  return {
    add(start, end) {
      const hash = hashOf(buffer, start, end);
      let slot = hash & (slots - 1);
      for (let looks = 0, alike = 0; ends[slot] !== 0; slot = (slot + 1) & (slots - 1)) {
        if (hashes[slot] === hash) {
          const known = keyAt(buffer, starts[slot] ?? 0, ends[slot] ?? 0);
          alike += 1;
          if (alike === MAX_ALIKE || known === keyAt(buffer, start, end)) return false;
        }
        looks += 1;
        if (looks === MAX_LOOKS) return false;
      }
      hashes[slot] = hash;
      starts[slot] = start;
      ends[slot] = end;
      return true;
    },
  };
}

/** Equal for all spellings of a key. @source FNV-1a, 32 bits, with a final mix. */
function hashOf(buffer: Buffer, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let at = start + 1; at < end - 1; at += 1) {
    const byte = buffer[at] ?? 0;
    if (byte === BACKSLASH) return hashOfEscaped(keyAt(buffer, start, end));
    hash = Math.imul(hash ^ byte, 0x01000193);
  }
  const half = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return half ^ (half >>> 13);
}

function hashOfEscaped(key: string): number {
  const plain = Buffer.from(`"${key.replaceAll("\\", "/")}"`);
  return hashOf(plain, 0, plain.length);
}
