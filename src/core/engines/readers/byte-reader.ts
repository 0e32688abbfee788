import { closeSync, fstatSync, openSync, readSync } from "node:fs";

import { LINE_FEED, NOTHING } from "../../../util/text-encoding.js";
import type { ByteRange } from "../../store/artifact-store.js";
import { isOwnFile, OPEN_TO_READ } from "../../store/file/files.js";
import type { DataSource, FileSource } from "../data-source.js";

export interface ByteReader {
  /** 0 at the end. */
  read(target: Uint8Array): number;
  close(): void;
}

/**
 * @param part - Default: all.
 * @throws as {@link openStored} does.
 */
export function openSource(source: DataSource, part?: ByteRange): ByteReader {
  if (!("bytes" in source)) return fileReader(source, part);
  const bytes = source.bytes.subarray(part?.start, part?.end);
  return pieceReader([bytes].values(), { close: () => {} });
}

/** @throws The file system's error for a missing file or a link; Error for another owner or size. */
export function openStored({ path, end }: FileSource): number {
  const file = openSync(path, OPEN_TO_READ);
  const stats = fstatSync(file);
  if (isOwnFile(stats) && stats.size === end) return file;
  closeSync(file);
  throw new Error("the file is not the one that was stored");
}

function fileReader(source: FileSource, part: ByteRange | undefined): ByteReader {
  const file = openStored(source);
  let at = source.start + (part?.start ?? 0);
  const end = Math.min(source.end, part ? source.start + part.end : Infinity);
  return {
    read(target) {
      const wanted = Math.min(target.length, end - at);
      if (wanted <= 0) return 0;
      const count = readSync(file, target, 0, wanted, at);
      at += count;
      return count;
    },
    close() {
      closeSync(file);
    },
  };
}

export function wholeOf(source: ByteReader): Buffer {
  const pieces: Buffer[] = [];
  for (;;) {
    const piece = Buffer.allocUnsafe(262_144);
    const count = source.read(piece);
    if (count === 0) return Buffer.concat(pieces);
    pieces.push(piece.subarray(0, count));
  }
}

export function pieceReader(
  pieces: Iterator<Uint8Array>,
  source: Pick<ByteReader, "close">,
): ByteReader {
  let ready: Uint8Array = NOTHING;
  return {
    read(target) {
      while (ready.length === 0) {
        const next = pieces.next();
        if (next.done) return 0;
        ready = next.value;
      }
      const part = ready.subarray(0, target.length);
      target.set(part);
      ready = ready.subarray(part.length);
      return part.length;
    },
    close: () => source.close(),
  };
}

/** V8 gives strings of more than 128 KiB memory of their own, which makes decoding ten times slower. */
const BLOCK_BYTES = 65_536;

export class LineTooLongError extends Error {}

/**
 * Blocks of whole lines; the next block overwrites one.
 *
 * @throws {@link LineTooLongError} at a line of more than `maxLineBytes` and 64 KiB.
 */
export function* readLineBlocks(source: ByteReader, maxLineBytes: number): Generator<Buffer> {
  const mostBytes = Math.max(maxLineBytes, BLOCK_BYTES);
  let buffer = Buffer.allocUnsafe(BLOCK_BYTES);
  let filled = 0;
  for (;;) {
    if (filled === buffer.length) {
      // One byte more detects longer lines.
      const larger = Buffer.allocUnsafe(Math.min(buffer.length * 2, mostBytes + 1));
      buffer.copy(larger, 0, 0, filled);
      buffer = larger;
    }
    const count = source.read(buffer.subarray(filled));
    if (count === 0) break;
    const part = buffer.subarray(filled, filled + count);
    const firstEnd = part.indexOf(LINE_FEED);
    if (filled + (firstEnd < 0 ? count : firstEnd) > mostBytes)
      throw new LineTooLongError("a line is too long");
    const lineEnd = firstEnd < 0 ? 0 : filled + part.lastIndexOf(LINE_FEED) + 1;
    filled += count;
    if (lineEnd === 0) continue;
    yield buffer.subarray(0, lineEnd);
    buffer.copyWithin(0, lineEnd, filled);
    filled -= lineEnd;
  }
  if (filled > 0) yield buffer.subarray(0, filled);
}
