import type { ByteReader } from "./byte-reader.js";

const CHUNK_BYTES = 64 * 1024;

const BACKSLASH = 0x5c;
const SMALL_U = 0x75;
const REPLACEMENT = Buffer.from("\\ufffd");
const ESCAPE_BYTES = REPLACEMENT.length;
const PAIR_BYTES = 2 * ESCAPE_BYTES;
const NEEDLES = ["\\ud", "\\uD"] as const;

/**
 * Reads JSON and replaces each escaped lead surrogate that no trail follows, such as the one that
 * cutting a text inside an emoji leaves, by `\ufffd`: jq takes one for the end of all data. Nothing
 * else changes, lengths neither.
 */
export function mendSurrogateEscapes(source: ByteReader): ByteReader {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  let filled = 0;
  let given = 0;
  let ready = 0;
  let ended = false;

  function fill(): void {
    // What was kept back begins with the backslash of an escape whose end was not there yet.
    chunk.copyWithin(0, ready, filled);
    filled -= ready;
    given = 0;
    const count = source.read(chunk.subarray(filled));
    ended = count === 0;
    filled += count;
    ready = ended ? filled : startOfOpenEscape(chunk.subarray(0, filled));
    mend(chunk.subarray(0, filled), ready);
  }

  return {
    read(target) {
      while (given === ready && !ended) fill();
      const count = Math.min(target.length, ready - given);
      target.set(chunk.subarray(given, given + count));
      given += count;
      return count;
    },
    close: () => source.close(),
  };
}

/** Mends the escapes that begin before `end`; the bytes begin outside of any escape. */
function mend(bytes: Buffer, end: number): void {
  for (const needle of NEEDLES) {
    let at = bytes.indexOf(needle);
    while (at !== -1 && at < end && at + ESCAPE_BYTES <= bytes.length) {
      if (isLead(bytes, at) && !isEscaped(bytes, at) && !isTrail(bytes, at + ESCAPE_BYTES))
        REPLACEMENT.copy(bytes, at);
      at = bytes.indexOf(needle, at + needle.length);
    }
  }
}

/** Where an escape begins whose meaning the bytes after these decide; their length when none does. */
function startOfOpenEscape(bytes: Buffer): number {
  for (let at = Math.max(0, bytes.length - PAIR_BYTES + 1); at < bytes.length; at += 1) {
    if (bytes[at] !== BACKSLASH || isEscaped(bytes, at)) continue;
    const [kind, first, second] = bytes.subarray(at + 1, at + 4);
    const isOther = kind !== undefined && kind !== SMALL_U;
    const isNoSurrogate = first !== undefined && (first | 0x20) !== 0x64;
    if (isOther || isNoSurrogate || (second !== undefined && !isLead(bytes, at))) continue;
    return at;
  }
  return bytes.length;
}

/** Whether the escape at `at`, which begins with `\ud`, is that of a lead: its third digit is 8, 9, a or b. */
function isLead(bytes: Buffer, at: number): boolean {
  return /[89abAB]/.test(String.fromCharCode(bytes[at + 3] ?? 0));
}

function isTrail(bytes: Buffer, at: number): boolean {
  return /^\\u[dD][c-fC-F]/.test(bytes.toString("latin1", at, at + 4));
}

/** Whether the backslash at `at` is the second half of an escaped one. */
function isEscaped(bytes: Buffer, at: number): boolean {
  let before = at;
  while (before > 0 && bytes[before - 1] === BACKSLASH) before -= 1;
  return (at - before) % 2 === 1;
}
