import { LOOKAHEAD_BYTES } from "./scanner/scanner.js";

/** JSON text that is scanned, and where it goes without its white space. */
export interface ScanInput {
  /** Writes the next bytes of the text to the start of `window`, and returns how many. */
  fill(window: Uint8Array): number;
  /** Whether these were the last. */
  isOver(): boolean;
  /** The buffer that has room for `bytes` more after its first `length`, which it has kept. */
  room(length: number, bytes: number): Buffer;
}

/** Text that stands in UTF-8 between two offsets of a buffer, and goes to the start of it. */
export function bytesInput(bytes: Buffer, start: number, end: number): ScanInput {
  let at = start;
  return {
    fill(window) {
      const part = bytes.subarray(at, Math.min(end, at + window.length));
      window.set(part);
      at += part.length;
      return part.length;
    },
    isOver: () => at === end,
    room: () => bytes,
  };
}

/** Room for what a text may have more at its end than at its beginning, as a share of it. */
const SLACK = 1 / 8;
/**
 * What is neither kept nor to be filled: bytes that wait for the next window, a line feed before them in place of white
 * space, and one behind the text.
 */
const MORE_BYTES = LOOKAHEAD_BYTES + 2;
const encoder = new TextEncoder();

/**
 * A string without lone surrogates, and a buffer of its own for it. A byte order mark is left out.
 *
 * @param spare - Bytes to have free behind the text, as a share of it.
 */
export function textInput(text: string, spare: number): ScanInput {
  const firstUnit = text.startsWith("\uFEFF") ? 1 : 0;
  let unit = firstUnit;
  let encodedBytes = 0;
  let target: Buffer = Buffer.alloc(0);

  /** By what the text has taken so far. */
  function roomy(neededBytes: number): Buffer {
    const units = Math.max(1, unit - firstUnit);
    const restBytes = (text.length - unit) * (encodedBytes / units);
    const slack = (encodedBytes > units ? SLACK : 0) + spare;
    return Buffer.allocUnsafeSlow(Math.ceil((neededBytes + restBytes) * (1 + slack)) + MORE_BYTES);
  }

  return {
    fill(window) {
      const { read, written } = encoder.encodeInto(text.slice(unit, unit + window.length), window);
      unit += read;
      encodedBytes += written;
      return written;
    },
    isOver: () => unit === text.length,
    room(length, bytes) {
      if (length + bytes < target.length) return target;
      const larger = roomy(length + bytes);
      target.copy(larger, 0, 0, length);
      target = larger;
      return target;
    },
  };
}
