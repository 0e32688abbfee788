import { endOfStringBytes, isSpace } from "./json-ends.js";
import { BYTES_BETWEEN_PAUSES, pause } from "../../../util/pause.js";

/** A value that is no container, or a container that was not entered, and the keys that lead to it. */
export interface Leaf {
  /** Keys from the root; places of list entries are keys too. */
  readonly path: readonly string[];
  /** Its JSON text, up to 8 KiB of it. */
  readonly text: string;
  /** Length of the whole text. */
  readonly sizeBytes: number;
}

const MAX_KEY_BYTES = 128;
const MAX_TEXT_BYTES = 8_192;
/** Leaves that are handed over in all. */
export const MAX_LEAVES = 4_096;
const MARK_BYTES = 3;
const QUOTE = 0x22;
const BRACE = 0x7b;
const BRACKET = 0x5b;

/**
 * The leaves of those containers of a JSON text that `enters` says yes to, in their order; the rest is skipped without being
 * parsed. The event loop gets a turn about every megabyte.
 *
 * @param keeps - Which leaves are handed over; all of them by default.
 * @param onUnnamed - Told of each value that is skipped since its key has more than 128 bytes.
 * @param json - Valid JSON in UTF-8; of anything else the leaves mean nothing, and none is thrown.
 */
export async function leavesOf(
  json: Uint8Array,
  enters: (path: readonly string[]) => boolean,
  keeps: (path: readonly string[]) => boolean = () => true,
  onUnnamed?: () => void,
): Promise<readonly Leaf[]> {
  const bytes = Buffer.from(json.buffer, json.byteOffset, json.byteLength);
  const leaves: Leaf[] = [];
  const open: { readonly isObject: boolean; entries: number }[] = [];
  const path: string[] = [];
  let at = afterSpace(bytes, startsWithMark(bytes) ? MARK_BYTES : 0);
  let isWanted = true;
  let nextPause = BYTES_BETWEEN_PAUSES;

  /** Skips the value at `at`, with turns for the event loop. */
  async function skip(): Promise<void> {
    let depth = 0;
    do {
      const byte = bytes[at];
      if (byte === QUOTE) at = endOfStringBytes(bytes, at);
      else {
        if (byte === BRACE || byte === BRACKET) depth += 1;
        else if (byte === 0x7d || byte === 0x5d) depth -= 1;
        else if (depth === 0) at = endOfScalar(bytes, at) - 1;
        at += 1;
      }
      if (at > nextPause) {
        nextPause = at + BYTES_BETWEEN_PAUSES;
        await pause();
      }
    } while (depth > 0 && at < bytes.length);
  }

  while (at < bytes.length && leaves.length < MAX_LEAVES) {
    const byte = bytes[at];
    const isContainer = byte === BRACE || byte === BRACKET;
    if (isContainer && isWanted && enters(path)) {
      open.push({ isObject: byte === BRACE, entries: 0 });
      at += 1;
    } else {
      const start = at;
      await skip();
      if (isWanted && keeps(path)) {
        leaves.push({ path: [...path], text: textAt(bytes, start, at), sizeBytes: at - start });
      }
    }
    // To the next value: out of what ends here, over commas, into what a key leads to.
    for (;;) {
      at = afterSpace(bytes, at);
      const innermost = open.at(-1);
      if (innermost === undefined) return leaves;
      if (path.length === open.length) path.pop();
      const next = bytes[at];
      if (next === 0x7d || next === 0x5d) {
        open.pop();
        at += 1;
        continue;
      }
      if (next === 0x2c) at = afterSpace(bytes, at + 1);
      if (!innermost.isObject) path.push(String(innermost.entries));
      else {
        const key = at;
        at = endOfStringBytes(bytes, at);
        isWanted = at - key <= MAX_KEY_BYTES;
        if (!isWanted) onUnnamed?.();
        path.push(isWanted ? keyAt(bytes, key, at) : "");
        at = afterSpace(bytes, afterSpace(bytes, at) + 1);
      }
      if (!innermost.isObject) isWanted = true;
      innermost.entries += 1;
      break;
    }
  }
  return leaves;
}

function startsWithMark(bytes: Buffer): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

function textAt(bytes: Buffer, start: number, end: number): string {
  const limit = Math.min(end, start + MAX_TEXT_BYTES);
  return new TextDecoder().decode(bytes.subarray(start, limit));
}

function keyAt(bytes: Buffer, start: number, end: number): string {
  try {
    return String(JSON.parse(textAt(bytes, start, end)));
  } catch {
    return "";
  }
}

function afterSpace(bytes: Buffer, start: number): number {
  let at = start;
  while (isSpace(bytes[at])) at += 1;
  return at;
}

function endOfScalar(bytes: Buffer, start: number): number {
  let at = start;
  while (at < bytes.length) {
    const byte = bytes[at] ?? 0;
    if (byte === 0x2c || byte === 0x7d || byte === 0x5d || byte <= 0x20) break;
    at += 1;
  }
  return Math.max(at, start + 1);
}
