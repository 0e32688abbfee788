import { pause } from "./pause.js";

/** About a millisecond's work, in UTF-16 units or bytes. */
const CHUNK = 1 << 20;
const encoder = new TextEncoder();

export const NOTHING: Buffer = Buffer.alloc(0);
export const LINE_FEED = 0x0a;

export function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** Keeps a byte order mark; invalid bytes become U+FFFD. */
export function decodeText(bytes: Uint8Array): string {
  return asBuffer(bytes).toString("utf8");
}

/** Without a carriage return at its end. */
export function withoutReturn(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}

const LEAD = /[\ud800-\udbff]/;

/** Code points. */
export function charactersIn(text: string): number {
  if (!LEAD.test(text)) return text.length;
  let pairs = 0;
  for (let at = 0; at < text.length; at += 1) if ((text.codePointAt(at) ?? 0) > 0xffff) pairs += 1;
  return text.length - pairs;
}

export function unfinishedBytes(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    return wantedLength(byte) > back ? back : 0;
  }
  return 0;
}

/** Bytes of the UTF-8 character that a byte begins; 0 if it begins none. */
function wantedLength(first: number): number {
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

/**
 * Bytes from `at` that a UTF-8 decoder consumes at once: a character, or an invalid prefix that
 * becomes one U+FFFD. @source Unicode 15, 3.9, table 3-7
 */
export function decodedLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0;
  const wanted = wantedLength(first);
  if (wanted < 2) return 1;
  const least = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  const most = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  const second = bytes[at + 1] ?? 0;
  if (second < least || second > most) return 1;
  let length = 2;
  while (length < wanted && ((bytes[at + length] ?? 0) & 0xc0) === 0x80) length += 1;
  return length;
}

/** A lone surrogate becomes U+FFFD. Yields to the event loop about every megabyte. */
export async function encodeText(text: string): Promise<Buffer> {
  let mostBytes = 0;
  for (let unit = 0; unit < text.length; unit += CHUNK) {
    if (unit > 0) await pause();
    // A pair that is cut in two counts two bytes more.
    mostBytes += Buffer.byteLength(text.slice(unit, unit + CHUNK));
  }
  const target = Buffer.allocUnsafeSlow(mostBytes);
  let byte = 0;
  for (let unit = 0; unit < text.length;) {
    if (unit > 0) await pause();
    const part = target.subarray(byte, byte + CHUNK);
    // A pair that is cut in two has no room in as many bytes.
    const { read, written } = encoder.encodeInto(text.slice(unit, unit + part.length), part);
    unit += read;
    byte += written;
  }
  return target.subarray(0, byte);
}

export function lineFeedsIn(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1))
    count += 1;
  return count;
}
