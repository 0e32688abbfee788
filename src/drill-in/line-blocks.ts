import type { ByteReader } from "./byte-reader.js";

/** Read at once; large enough to be fast, small enough to look at the clock often. */
const BLOCK_BYTES = 1024 * 1024;

const NEWLINE = 10;

/** Says that a line is longer than what may be held in memory. */
export class LineTooLongError extends Error {}

/** The longest line that is read: at least a block, whatever the limit. */
export function longestLineBytes(maxLineBytes: number): number {
  return Math.max(maxLineBytes, BLOCK_BYTES);
}

/**
 * Reads a source in blocks of whole lines. The block is a view on a buffer that the next one
 * overwrites; its last line has its line end unless the source ends without one.
 *
 * @throws {@link LineTooLongError} at a line of more than `maxLineBytes`, or of more than a block
 * when that is larger.
 */
export function* readLineBlocks(source: ByteReader, maxLineBytes: number): Generator<Buffer> {
  const mostBytes = longestLineBytes(maxLineBytes);
  let buffer = Buffer.allocUnsafe(BLOCK_BYTES);
  let filled = 0;
  for (;;) {
    if (filled === buffer.length) {
      // One byte more than a line may have, so that a longer one is noticed.
      const larger = Buffer.allocUnsafe(Math.min(buffer.length * 2, mostBytes + 1));
      buffer.copy(larger, 0, 0, filled);
      buffer = larger;
    }
    const count = source.read(buffer.subarray(filled));
    if (count === 0) break;
    const part = buffer.subarray(filled, filled + count);
    const firstEnd = part.indexOf(NEWLINE);
    if (filled + (firstEnd < 0 ? count : firstEnd) > mostBytes) throw new LineTooLongError();
    const lineEnd = firstEnd < 0 ? 0 : filled + part.lastIndexOf(NEWLINE) + 1;
    filled += count;
    if (lineEnd === 0) continue;
    yield buffer.subarray(0, lineEnd);
    buffer.copyWithin(0, lineEnd, filled);
    filled -= lineEnd;
  }
  if (filled > 0) yield buffer.subarray(0, filled);
}
