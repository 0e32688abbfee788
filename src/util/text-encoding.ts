import { pause } from "./pause.js";

/** About a millisecond's work. */
const CHUNK_UNITS = 1 << 20;

export function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** Keeps a byte order mark; invalid bytes become U+FFFD. */
export function decodeText(bytes: Uint8Array): string {
  return asBuffer(bytes).toString("utf8");
}

export function charactersIn(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
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
export function wantedLength(first: number): number {
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
  let byteLength = 0;
  for await (const part of parts(text)) byteLength += Buffer.byteLength(part);
  const target = Buffer.allocUnsafeSlow(byteLength);
  // Every character past ASCII takes more bytes than UTF-16 units, so equal lengths mean ASCII.
  const encoding = byteLength === text.length ? "latin1" : "utf8";
  let byte = 0;
  for await (const part of parts(text)) byte += target.write(part, byte, encoding);
  return target;
}

async function* parts(text: string): AsyncGenerator<string, void> {
  for (let unit = 0; unit < text.length;) {
    const end = chunkEnd(text, unit);
    yield text.slice(unit, end);
    unit = end;
    if (unit < text.length) await pause();
  }
}

function chunkEnd(text: string, start: number): number {
  const end = start + CHUNK_UNITS;
  if (end >= text.length) return text.length;
  return isLead(text.charCodeAt(end - 1)) ? end - 1 : end;
}

export function isLead(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

const LINE_FEED = 0x0a;

export function lineFeedsIn(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1))
    count += 1;
  return count;
}
