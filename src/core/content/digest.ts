import { createHash } from "node:crypto";

import { BYTES_BETWEEN_PAUSES, pause } from "../../util/pause.js";

/** UTF-16 units hashed between two turns of the event loop. */
const CHUNK_UNITS = 1 << 19;

/** SHA-256 of a text's UTF-16 units, in hex: texts that differ in a lone surrogate differ here too. */
export async function digestOf(text: string): Promise<string> {
  const hash = createHash("sha256");
  for (let from = 0; from < text.length; from += CHUNK_UNITS) {
    if (from > 0) await pause();
    hash.update(Buffer.from(text.slice(from, from + CHUNK_UNITS), "utf16le"));
  }
  return hash.digest("hex");
}

/** SHA-256 of bytes, in hex. The event loop gets its turns. */
export async function sha256Of(bytes: Uint8Array): Promise<string> {
  const hash = createHash("sha256");
  for (let from = 0; from < bytes.length; from += BYTES_BETWEEN_PAUSES) {
    if (from > 0) await pause();
    hash.update(bytes.subarray(from, from + BYTES_BETWEEN_PAUSES));
  }
  return hash.digest("hex");
}
