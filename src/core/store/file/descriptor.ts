import {
  close,
  closeSync,
  constants,
  fsync,
  open,
  read,
  readSync,
  write,
  writeSync,
} from "node:fs";
import { promisify } from "node:util";
import type { ByteRange } from "../artifact-store.js";

/*
 * Paths are looked up in the thread pool: a directory may be slow. What is open is written and read at once while it
 * is small: the way to the pool and back takes several times as long as the bytes do.
 */

/** Written, read or closed in some 10 µs. */
export const SMALL_BYTES: number = 64 * 1024;
/** Of a larger write Linux makes the writer wait for the disk, though the same bytes in parts find room in memory. */
const MAX_WRITE_BYTES = 1024 * 1024;
/** The system reads at most 2^31 - 1 bytes at once. */
const MAX_READ_BYTES = 1024 * 1024 * 1024;

/** For a file that must not be there. */
export const CREATE: number =
  constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | (constants.O_NOFOLLOW ?? 0);
/** Follows no link. Without O_NONBLOCK a planted pipe would hold the open until somebody writes to it. */
export const OPEN_TO_READ: number =
  constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Opens a file, whose descriptor is then the caller's to close; a new one is this user's only. */
export const openFile: (path: string, flags: number, mode?: number) => Promise<number> =
  promisify(open);
/** Waits until the disk has a file. */
export const syncFile: (descriptor: number) => Promise<void> = promisify(fsync);
const closeLater = promisify(close);
const writeLater = promisify(write);
const readLater = promisify(read);

/** Closes a file of which so much was written or read; a disk of the network takes what is written only then. */
export async function closeFile(descriptor: number, bytes: number): Promise<void> {
  if (bytes <= SMALL_BYTES) closeSync(descriptor);
  else await closeLater(descriptor);
}

/** Writes all of the bytes, after what was written before. */
export async function writeAll(descriptor: number, bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.length;) {
    const part = bytes.subarray(written, written + MAX_WRITE_BYTES);
    if (part.length <= SMALL_BYTES) written += writeSync(descriptor, part);
    else written += (await writeLater(descriptor, part)).bytesWritten;
  }
}

/**
 * Reads a range that lies within the file.
 *
 * @throws Error when the file ends before the range does, or the file system fails.
 */
export async function readRange(
  descriptor: number,
  { start, end }: ByteRange,
): Promise<Uint8Array> {
  const buffer = Buffer.allocUnsafeSlow(end - start);
  for (let filled = 0; filled < buffer.length;) {
    const wanted = Math.min(buffer.length - filled, MAX_READ_BYTES);
    const bytesRead =
      wanted <= SMALL_BYTES
        ? readSync(descriptor, buffer, filled, wanted, start + filled)
        : (await readLater(descriptor, buffer, filled, wanted, start + filled)).bytesRead;
    if (bytesRead === 0) throw new Error("The file became shorter while it was read.");
    filled += bytesRead;
  }
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.length);
}
