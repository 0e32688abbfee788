/// <reference lib="es2024.string" />
import type { TextEncodingName } from "../core/types/content.js";
import { pause } from "./pause.js";

/** UTF-16 units written between two pauses, about a millisecond's work. */
const CHUNK_UNITS = 1 << 20;

/** Bytes of a text and the encoding that brings the text back. */
export interface EncodedText {
  readonly bytes: Uint8Array;
  readonly encoding: TextEncodingName;
}

/**
 * Encodes a text without loss: as UTF-8, or as WTF-8 when it holds lone surrogates, each of which
 * becomes three bytes. A byte order mark is kept.
 */
export function encodeText(text: string): EncodedText {
  const bytes = Buffer.from(text, "utf8");
  if (text.isWellFormed()) return { bytes, encoding: "utf-8" };
  restoreSurrogates(text, bytes, { unit: 0, end: text.length, byte: 0 });
  return { bytes, encoding: "wtf-8" };
}

/**
 * Makes WTF-8 of what {@link writeUtf8} has written of a text with lone surrogates; the event loop
 * gets a turn about every megabyte.
 */
export async function turnIntoWtf8(text: string, bytes: Buffer): Promise<void> {
  let byte = 0;
  for (let unit = 0; unit < text.length;) {
    const end = chunkEnd(text, unit);
    byte = restoreSurrogates(text, bytes, { unit, end, byte });
    unit = end;
    if (unit < text.length) await pause();
  }
}

/**
 * Decodes what `encodeText` made. A byte order mark is kept. Bytes that the encoding does not allow
 * become U+FFFD.
 */
export function decodeText(bytes: Uint8Array, encoding: TextEncodingName): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (encoding === "latin1") return buffer.toString("latin1");
  if (encoding === "utf-8") return buffer.toString("utf8");
  const parts: string[] = [];
  let from = 0;
  let at = buffer.indexOf(0xed);
  while (at !== -1) {
    const second = buffer[at + 1] ?? 0;
    const third = buffer[at + 2] ?? 0;
    if (second >= 0xa0 && second <= 0xbf && third >= 0x80 && third <= 0xbf) {
      if (at > from) parts.push(buffer.toString("utf8", from, at));
      parts.push(String.fromCharCode(0xd000 | ((second & 0x3f) << 6) | (third & 0x3f)));
      from = at + 3;
      at = buffer.indexOf(0xed, from);
    } else {
      at = buffer.indexOf(0xed, at + 1);
    }
  }
  parts.push(buffer.toString("utf8", from));
  return parts.join("");
}

/** Whether Latin-1 has all characters of a text. */
export function isLatin1(text: string): boolean {
  return !/[^\0-\xff]/.test(text);
}

/** Characters of a text: a surrogate pair is one. */
export function charactersIn(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** Bytes at the end that begin a character without ending it; 0 to 3. */
export function unfinishedBytes(bytes: Uint8Array, encoding?: TextEncodingName): number {
  if (encoding === "latin1") return 0;
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? back : 0;
  }
  return 0;
}

/** Bytes of the UTF-8 character that a byte begins; 0 where it begins none. */
export function wantedLength(first: number): number {
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

/**
 * Bytes from `at` that a decoder of UTF-8 takes at once: a character, or as many as might begin one, for which it puts
 * U+FFFD. No overlong forms, no surrogates, nothing beyond the last character. @source Unicode 15, 3.9, table 3-7
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

/** Length of a text in UTF-8; the event loop gets a turn about every megabyte. */
export async function utf8Length(text: string): Promise<number> {
  let byteLength = 0;
  for (let unit = 0; unit < text.length;) {
    const end = chunkEnd(text, unit);
    byteLength += Buffer.byteLength(text.slice(unit, end));
    unit = end;
    if (unit < text.length) await pause();
  }
  return byteLength;
}

/**
 * Writes a text as UTF-8 to the start of `target`, which must have room for it, and hands the event
 * loop a turn about every megabyte. Lone surrogates become U+FFFD, three bytes each.
 */
export async function writeUtf8(text: string, target: Buffer, byteLength: number): Promise<void> {
  // Every character past ASCII takes more bytes than UTF-16 units, so equal lengths mean ASCII.
  const encoding = byteLength === text.length ? "latin1" : "utf8";
  let byte = 0;
  for (let unit = 0; unit < text.length;) {
    const end = chunkEnd(text, unit);
    byte += target.write(text.slice(unit, end), byte, encoding);
    unit = end;
    if (unit < text.length) await pause();
  }
}

/** The end of a chunk that splits no surrogate pair. */
function chunkEnd(text: string, start: number): number {
  const end = start + CHUNK_UNITS;
  if (end >= text.length) return text.length;
  return isLead(text.charCodeAt(end - 1)) ? end - 1 : end;
}

/**
 * Puts lone surrogates where the UTF-8 encoder has put U+FFFD; both take three bytes. Returns the
 * byte after the part.
 */
function restoreSurrogates(
  text: string,
  bytes: Buffer,
  part: { readonly unit: number; readonly end: number; readonly byte: number },
): number {
  let { byte } = part;
  for (let { unit } = part; unit < part.end; unit += 1) {
    const code = text.charCodeAt(unit);
    if (code < 0x80) byte += 1;
    else if (code < 0x800) byte += 2;
    else if (isLead(code) && isTrail(text.charCodeAt(unit + 1))) {
      byte += 4;
      unit += 1;
    } else {
      if (isLead(code) || isTrail(code)) {
        bytes[byte] = 0xed;
        bytes[byte + 1] = 0x80 | ((code >> 6) & 0x3f);
        bytes[byte + 2] = 0x80 | (code & 0x3f);
      }
      byte += 3;
    }
  }
  return byte;
}

/** Whether a UTF-16 unit is the first half of a surrogate pair. */
export function isLead(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

function isTrail(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}
