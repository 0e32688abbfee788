import type { TextEncodingName } from "../types/content.js";
import { BYTES_BETWEEN_PAUSES, pause } from "../util/pause.js";
import { turnIntoWtf8, utf8Length, writeUtf8, type EncodedText } from "../util/text-encoding.js";

/** A text's UTF-8 bytes in a buffer that has room after them. */
export interface SourceBytes {
  readonly buffer: Buffer;
  /** Bytes of the text, from offset 0. */
  readonly byteLength: number;
}

/**
 * Encodes a text into a buffer of its own; lone surrogates become U+FFFD, three bytes each.
 *
 * @param room - Bytes to leave free after the text, given the text's own.
 */
export async function readSource(
  text: string,
  room: (byteLength: number) => number,
): Promise<SourceBytes> {
  const byteLength = await utf8Length(text);
  const buffer = Buffer.allocUnsafeSlow(byteLength + room(byteLength));
  await writeUtf8(text, buffer, byteLength);
  return { buffer, byteLength };
}

/**
 * The bytes of a text exactly as it came.
 *
 * @param scratch - A buffer that held this text and may have been changed since: it is used again,
 * so that no second one is needed.
 */
export async function bytesAsCame(
  text: string,
  scratch?: SourceBytes,
): Promise<EncodedText & { readonly bytes: Buffer }> {
  if (!text.isWellFormed()) {
    const { buffer } = await readSource(text, () => 0);
    await turnIntoWtf8(text, buffer);
    return { bytes: buffer, encoding: "wtf-8" };
  }
  const encoding: TextEncodingName = "utf-8";
  if (scratch === undefined) {
    const { buffer } = await readSource(text, () => 0);
    return { bytes: buffer, encoding };
  }
  await writeUtf8(text, scratch.buffer, scratch.byteLength);
  return { bytes: scratch.buffer.subarray(0, scratch.byteLength), encoding };
}

/** Lines of a body; an unfinished last line counts. */
export async function countLines(bytes: Buffer): Promise<number> {
  let lines = 0;
  for (let from = 0; from < bytes.length; from += BYTES_BETWEEN_PAUSES) {
    const to = Math.min(bytes.length, from + BYTES_BETWEEN_PAUSES);
    for (let at = from; at < to; at += 1) if (bytes[at] === 0x0a) lines += 1;
    if (to < bytes.length) await pause();
  }
  return bytes.length > 0 && bytes[bytes.length - 1] !== 0x0a ? lines + 1 : lines;
}
