import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import type { DataSource } from "./data-source.js";

// A link put in a body's place since the store looked at it is not followed, and a pipe not waited for.
const READ = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Reads a source from its beginning to its end, without holding more than the caller's buffer. */
export interface ByteReader {
  /** Fills the beginning of `target` and returns how many bytes it wrote; 0 is the end. */
  read(target: Uint8Array): number;
  close(): void;
}

/** A reader that can go on from any place. */
export interface SeekableReader extends ByteReader {
  /** Goes on reading at `offset`, in bytes from the source's start. */
  seek(offset: number): void;
}

/**
 * Opens a source for reading in a worker, synchronously.
 *
 * @throws The file system's error when the file cannot be opened, is a link, or is no regular file
 * that holds the whole range.
 */
export function openSource(source: DataSource): SeekableReader {
  return "bytes" in source ? bytesReader(source.bytes) : fileReader(source);
}

function bytesReader(bytes: Uint8Array): SeekableReader {
  let at = 0;
  return {
    read(target) {
      const part = bytes.subarray(at, at + target.length);
      target.set(part);
      at += part.length;
      return part.length;
    },
    seek(offset) {
      at = offset;
    },
    close() {
      at = bytes.length;
    },
  };
}

function fileReader(source: { path: string; start: number; end: number }): SeekableReader {
  const file = openSync(source.path, READ);
  const stats = fstatSync(file);
  if (!stats.isFile() || stats.size < source.end) {
    closeSync(file);
    throw new Error("the file is not the one that was stored");
  }
  let at = source.start;
  return {
    read(target) {
      const wanted = Math.min(target.length, source.end - at);
      if (wanted <= 0) return 0;
      const count = readSync(file, target, 0, wanted, at);
      at += count;
      return count;
    },
    seek(offset) {
      at = source.start + offset;
    },
    close() {
      closeSync(file);
    },
  };
}
