import type { FileHandle } from "node:fs/promises";
import type { ByteRange } from "../artifact-store.js";
import { checkChunk, checkLength, forEachChunk } from "../body/body-chunk.js";

/** Smaller chunks are gathered: one write call a line would take twice the time. */
const BUFFER_BYTES = 1024 * 1024;
/** The system reads at most 2^31 - 1 bytes at once. */
const MAX_READ_BYTES = 1024 * 1024 * 1024;

/**
 * Writes a body from the start of an empty file.
 *
 * @throws Error of the file system or of the body, RangeError when its length is not `announcedBytes`.
 */
export async function writeBody(
  file: FileHandle,
  body: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  announcedBytes: number,
): Promise<void> {
  // A body that comes in one piece is written from where it is.
  const buffer = Buffer.allocUnsafe(Math.min(BUFFER_BYTES, Math.max(0, announcedBytes - 1)));
  let buffered = 0;
  let length = 0;

  function flush(): Promise<void> {
    const full = buffer.subarray(0, buffered);
    buffered = 0;
    return writeAll(file, full);
  }

  async function flushAndTake(chunk: Uint8Array): Promise<void> {
    await flush();
    if (chunk.length > buffer.length) await writeAll(file, chunk);
    else keep(chunk);
  }

  function keep(chunk: Uint8Array): undefined {
    // Copied, because a producer may use the chunk's memory again.
    buffer.set(chunk, buffered);
    buffered += chunk.length;
  }

  await forEachChunk(body, (chunk) => {
    length = checkChunk(chunk, length, announcedBytes);
    return buffered + chunk.length > buffer.length ? flushAndTake(chunk) : keep(chunk);
  });
  await flush();
  checkLength(length, announcedBytes);
}

/**
 * Reads a range that lies within the file.
 *
 * @throws Error when the file ends before the range does, or the file system fails.
 */
export async function readRange(file: FileHandle, { start, end }: ByteRange): Promise<Uint8Array> {
  const buffer = Buffer.allocUnsafeSlow(end - start);
  let filled = 0;
  while (filled < buffer.length) {
    const wanted = Math.min(buffer.length - filled, MAX_READ_BYTES);
    const { bytesRead } = await file.read(buffer, filled, wanted, start + filled);
    if (bytesRead === 0) throw new Error("The file became shorter while it was read.");
    filled += bytesRead;
  }
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.length);
}

async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  let written = 0;
  while (written < bytes.length) {
    const { bytesWritten } = await file.write(bytes, written);
    written += bytesWritten;
  }
}
