import { BYTES_BETWEEN_PAUSES, pause } from "../../util/pause.js";
import { turnIntoWtf8, utf8Length, writeUtf8, type EncodedText } from "../../util/text-encoding.js";

/**
 * The bytes of a text exactly as it came.
 *
 * @param scratch - A buffer that nobody needs: it is used where it has room, so that no second one is needed.
 */
export async function bytesAsCame(
  text: string,
  scratch?: Buffer,
): Promise<EncodedText & { readonly bytes: Buffer }> {
  const byteLength = await utf8Length(text);
  const isScratch = scratch !== undefined && byteLength <= scratch.length;
  const buffer = isScratch ? scratch : Buffer.allocUnsafeSlow(byteLength);
  await writeUtf8(text, buffer, byteLength);
  const bytes = buffer.subarray(0, byteLength);
  if (text.isWellFormed()) return { bytes, encoding: "utf-8" };
  await turnIntoWtf8(text, bytes);
  return { bytes, encoding: "wtf-8" };
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
