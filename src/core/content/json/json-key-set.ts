import { keyAt } from "./json-keys.js";

/** The keys of one object, each where its token stands in a buffer: a tenth of the time and memory of a set of texts. */
export interface JsonKeySet {
  /**
   * Adds the key of a token and tells whether it is another one than all before; escapes may spell it otherwise. Of keys that
   * somebody has made to fall on one place, it is not known: `false`.
   */
  add(start: number, end: number): boolean;
}

const BACKSLASH = 0x5c;
const QUOTE_BYTES = 1;
/** Places that are looked at for one key, and keys of its hash: chance has some 30 and 3 of a hundred million keys. */
const MAX_LOOKS = 256;
const MAX_ALIKE = 8;

/**
 * Creates a set.
 *
 * @param buffer - The tokens stay where they are while the set is used.
 * @param maxKeys - How many keys are added at most.
 */
export function createJsonKeySet(buffer: Buffer, maxKeys: number): JsonKeySet {
  const slots = 2 ** Math.ceil(Math.log2(2 * maxKeys + 2));
  const hashes = new Int32Array(slots);
  const starts = new Uint32Array(slots);
  const ends = new Uint32Array(slots);

  return {
    add(start, end) {
      const hash = hashOf(buffer, start, end);
      let slot = hash & (slots - 1);
      let looks = 0;
      let alike = 0;
      while (ends[slot] !== 0) {
        if (hashes[slot] === hash) {
          const isKnown =
            keyAt(buffer, starts[slot] ?? 0, ends[slot] ?? 0) === keyAt(buffer, start, end);
          alike += 1;
          if (isKnown || alike === MAX_ALIKE) return false;
        }
        looks += 1;
        if (looks === MAX_LOOKS) return false;
        slot = (slot + 1) & (slots - 1);
      }
      hashes[slot] = hash;
      starts[slot] = start;
      ends[slot] = end;
      return true;
    },
  };
}

/** The same for all spellings of a key. @source FNV-1a, 32 bits, its bits mixed once more. */
function hashOf(buffer: Buffer, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let at = start + QUOTE_BYTES; at < end - QUOTE_BYTES; at += 1) {
    const byte = buffer[at] ?? 0;
    if (byte === BACKSLASH) return hashOfText(keyAt(buffer, start, end));
    hash = Math.imul(hash ^ byte, 0x01000193);
  }
  return mixed(hash);
}

function hashOfText(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return mixed(hash);
}

function mixed(hash: number): number {
  const half = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return half ^ (half >>> 13);
}
