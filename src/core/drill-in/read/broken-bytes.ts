import type { TextEncodingName } from "../../types/content.js";
import { isUtf8 } from "node:buffer";

import { counted } from "../shared/answer/answer.js";

const REPLACEMENT = "\ufffd";
const REPLACEMENT_BYTES = Buffer.from(REPLACEMENT);

/**
 * Where a decoded text has U+FFFD for bytes that are no UTF-8, and not because the text has one: places in UTF-16
 * units, in order.
 */
export function brokenPlaces(bytes: Uint8Array, encoding: TextEncodingName): readonly number[] {
  if (encoding !== "utf-8" || isUtf8(bytes)) return [];
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const places: number[] = [];
  let length = 0;
  for (let from = 0; from < buffer.length;) {
    const own = buffer.indexOf(REPLACEMENT_BYTES, from);
    const part = buffer.toString("utf8", from, own === -1 ? buffer.length : own);
    for (let at = part.indexOf(REPLACEMENT); at !== -1; at = part.indexOf(REPLACEMENT, at + 1))
      places.push(length + at);
    length += part.length + REPLACEMENT.length;
    from = own === -1 ? buffer.length : own + REPLACEMENT_BYTES.length;
  }
  return places;
}

/** What an answer says of them; empty without any. */
export function brokenNote(count: number): string {
  if (count === 0) return "";
  return `U+FFFD stands in ${counted(count, "place")} for bytes that are no UTF-8; they are stored as they came.`;
}
