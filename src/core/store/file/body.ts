import { checkChunk, checkLength, forEachChunk } from "../body/chunks.js";
import { SMALL_BYTES, writeAll } from "./descriptor.js";

/** Small chunks are gathered: one write call a line would take twice the time. */
const BUFFER_BYTES = 1024 * 1024;

/**
 * Writes a body from the start of an empty file.
 *
 * @throws Error of the file system or of the body, RangeError when its length is not `announcedBytes`.
 */
export async function writeBody(
  file: number,
  body: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  announcedBytes: number,
): Promise<void> {
  let buffer: Buffer | undefined;
  let buffered = 0;
  let length = 0;

  async function flush(): Promise<void> {
    const full = buffer?.subarray(0, buffered);
    buffered = 0;
    if (full !== undefined) await writeAll(file, full);
  }

  async function flushAndTake(chunk: Uint8Array): Promise<void> {
    await flush();
    if (chunk.length > SMALL_BYTES) await writeAll(file, chunk);
    else keep(chunk);
  }

  function keep(chunk: Uint8Array): undefined {
    buffer ??= Buffer.allocUnsafe(Math.min(BUFFER_BYTES, announcedBytes));
    // Copied, because a producer may use the chunk's memory again.
    buffer.set(chunk, buffered);
    buffered += chunk.length;
  }

  await forEachChunk(body, (chunk) => {
    length = checkChunk(chunk, length, announcedBytes);
    const fits = chunk.length <= SMALL_BYTES && buffered + chunk.length <= BUFFER_BYTES;
    return fits ? keep(chunk) : flushAndTake(chunk);
  });
  await flush();
  checkLength(length, announcedBytes);
}
