import { BYTES_BETWEEN_PAUSES, pause } from "../../../util/pause.js";
import { endOfStringBytes, isClosing, isOpening, isSpace } from "./json-text.js";

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
const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_OBJECT = 0x7b;

/**
 * The leaves of those containers of a JSON text that `enters` says yes to, in their order; the rest is skipped without being
 * parsed. The event loop gets a turn about every 256 KiB.
 *
 * @param json - Valid JSON in UTF-8; of anything else the leaves mean nothing, and none is thrown.
 * @param enters - Has to say no at some depth.
 * @param keeps - Which leaves are handed over; all of them by default.
 * @param onUnnamed - Told of each value that is skipped since its key has more than 128 bytes.
 */
export async function leavesOf(
  json: Uint8Array,
  enters: (path: readonly string[]) => boolean,
  keeps: (path: readonly string[]) => boolean = () => true,
  onUnnamed?: () => void,
): Promise<readonly Leaf[]> {
  const bytes = Buffer.from(json.buffer, json.byteOffset, json.byteLength);
  const leaves: Leaf[] = [];
  let at = 0;
  let nextPause = BYTES_BETWEEN_PAUSES;

  function toToken(from: number): void {
    at = from;
    while (isSpace(bytes[at])) at += 1;
  }

  /** To behind the value at `at`. */
  async function skip(): Promise<void> {
    let depth = 0;
    do {
      const byte = bytes[at];
      if (byte === QUOTE) at = endOfStringBytes(bytes, at);
      else if (isOpening(byte) || isClosing(byte) || depth > 0) {
        if (isOpening(byte)) depth += 1;
        else if (isClosing(byte)) depth -= 1;
        at += 1;
      } else at = endOfScalar(bytes, at);
      if (at > nextPause) {
        nextPause = at + BYTES_BETWEEN_PAUSES;
        await pause();
      }
    } while (depth > 0 && at < bytes.length);
  }

  /** Reads the key at `at`, to its value; `undefined` for one that is too long. */
  function takeKey(): string | undefined {
    const start = at;
    const end = endOfStringBytes(bytes, start);
    toToken(end);
    toToken(at + 1);
    return end - start <= MAX_KEY_BYTES ? keyAt(bytes, start, end) : undefined;
  }

  async function walk(path: readonly string[]): Promise<void> {
    const start = at;
    if (!isOpening(bytes[at]) || !enters(path)) {
      await skip();
      if (keeps(path)) leaves.push({ path, text: textAt(bytes, start, at), sizeBytes: at - start });
      return;
    }
    toToken(at + 1);
    for (let entry = 0; at < bytes.length && !isClosing(bytes[at]); entry += 1) {
      const key = bytes[start] === OPEN_OBJECT ? takeKey() : String(entry);
      if (key === undefined) onUnnamed?.();
      await (key === undefined ? skip() : walk([...path, key]));
      if (leaves.length === MAX_LEAVES) return;
      toToken(at);
      if (bytes[at] === COMMA) toToken(at + 1);
    }
    at += 1;
  }

  toToken(0);
  if (at < bytes.length) await walk([]);
  return leaves;
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

function endOfScalar(bytes: Buffer, start: number): number {
  let at = start;
  while (at < bytes.length) {
    const byte = bytes[at] ?? 0;
    if (byte === COMMA || isClosing(byte) || byte <= 0x20) break;
    at += 1;
  }
  return Math.max(at, start + 1);
}
