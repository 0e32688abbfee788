import type { TextEncodingName } from "../../types/content.js";
import { isAscii, isUtf8 } from "node:buffer";

import { decodedLength, wantedLength } from "../../../util/text-encoding.js";

/** Tells of bytes that come in parts whether they are UTF-8; no character goes on in the next part. */
export interface Utf8Check {
  /** Looks at the next bytes. */
  take(part: Uint8Array): void;
  readonly isUtf8: () => boolean;
  /** How they are read best: as UTF-8 with a few wrong bytes, or byte by byte. */
  readonly encoding: () => TextEncodingName;
}

/** Creates a check of bytes of which none has come. */
export function createUtf8Check(): Utf8Check {
  let invalidBytes = 0;
  let longCharacters = 0;

  return {
    take(part) {
      if (isAscii(part)) return;
      if (isUtf8(part)) {
        for (const byte of part) if (byte >= 0xc0) longCharacters += 1;
        return;
      }
      for (let at = 0; at < part.length;) {
        const length = characterLength(part, at);
        if (length === 0) invalidBytes += 1;
        if (length > 1) longCharacters += 1;
        at += Math.max(1, length);
      }
    },
    isUtf8: () => invalidBytes === 0,
    encoding: () => (invalidBytes > longCharacters ? "latin1" : "utf-8"),
  };
}

/** Bytes of the UTF-8 character at `at`; 0 when there is none. */
function characterLength(bytes: Uint8Array, at: number): number {
  const length = decodedLength(bytes, at);
  return length === wantedLength(bytes[at] ?? 0) ? length : 0;
}

const ESCAPES_NOTE = String.raw`[Bytes that are no UTF-8 stand as \xNN, and a \x of the text as \x5cx.]`;

/** Of bytes that are shown in base64, since most of a text would be escapes. */
const MAX_ESCAPED_SHARE = 0.2;
/** Looked at to tell a text from other data. */
const SAMPLE_BYTES = 65_536;

/** Whether bytes that are no UTF-8 are no text of another encoding either, by their first 64 KiB. */
export function isBinary(bytes: Uint8Array): boolean {
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  let controls = 0;
  for (const byte of sample) {
    if (byte === 0) return true;
    // Tab, line ends, form feed and ESC stand in texts.
    if (byte < 0x20 && !(byte >= 0x09 && byte <= 0x0d) && byte !== 0x1b) controls += 1;
  }
  return controls * 20 > sample.length;
}

/**
 * Bytes that are no UTF-8 as a text that can be turned back: a text with escapes, and a last line that says so, or
 * `{"bytes": …, "base64": …}` when too many of them are no text.
 */
export function showBytes(bytes: Buffer): string {
  const parts: string[] = [];
  let escapes = 0;
  let from = 0;
  for (let at = 0; at < bytes.length;) {
    const length = characterLength(bytes, at);
    if (length === 0) {
      parts.push(escapedText(bytes.toString("utf8", from, at)));
      parts.push(`\\x${(bytes[at] ?? 0).toString(16).padStart(2, "0")}`);
      escapes += 1;
      from = at + 1;
    }
    at += Math.max(1, length);
  }
  if (isBinary(bytes) || escapes > MAX_ESCAPED_SHARE * bytes.length) {
    return JSON.stringify(bytesAsJson(bytes));
  }
  parts.push(escapedText(bytes.toString("utf8", from)));
  return `${parts.join("")}\n${ESCAPES_NOTE}`;
}

function escapedText(text: string): string {
  return text.replaceAll("\\x", "\\x5cx");
}

/** Bytes inside JSON. */
export function bytesAsJson(bytes: Uint8Array): {
  readonly bytes: number;
  readonly base64: string;
} {
  const { buffer, byteOffset, byteLength } = bytes;
  return {
    bytes: byteLength,
    base64: Buffer.from(buffer, byteOffset, byteLength).toString("base64"),
  };
}
