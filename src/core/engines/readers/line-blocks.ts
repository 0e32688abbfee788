import type { ByteReader } from "./byte-reader.js";

/** Read at once; large enough to be fast, small enough to look at the clock often. */
const BLOCK_BYTES = 1024 * 1024;

const NEWLINE = 10;
const RETURN = 13;

/** Lines after which their mean length decides how line ends are counted. */
const SAMPLED_LINES = 32;
const SHORT_LINE_BYTES = 64;

/** Says that a line is longer than what may be held in memory. */
export class LineTooLongError extends Error {
  /** Where the line begins, in bytes from the source's start. */
  readonly offset: number;

  constructor(offset: number) {
    super("a line is too long");
    this.offset = offset;
  }
}

/**
 * Reads a source in blocks of whole lines. The block is a view on a buffer that the next one
 * overwrites; its last line has its line end unless the source ends without one.
 *
 * @throws {@link LineTooLongError} at a line of more than `maxLineBytes`, or of more than a block
 * when that is larger.
 *
 * @param blockBytes - Read at once. Default: 1 MiB.
 */
export function* readLineBlocks(
  source: ByteReader,
  maxLineBytes: number,
  blockBytes: number = BLOCK_BYTES,
): Generator<Buffer> {
  const mostBytes = Math.max(maxLineBytes, blockBytes);
  let buffer = Buffer.allocUnsafe(blockBytes);
  let filled = 0;
  let offset = 0;
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
    if (filled + (firstEnd < 0 ? count : firstEnd) > mostBytes) throw new LineTooLongError(offset);
    const lineEnd = firstEnd < 0 ? 0 : filled + part.lastIndexOf(NEWLINE) + 1;
    filled += count;
    if (lineEnd === 0) continue;
    yield buffer.subarray(0, lineEnd);
    buffer.copyWithin(0, lineEnd, filled);
    filled -= lineEnd;
    offset += lineEnd;
  }
  if (filled > 0) yield buffer.subarray(0, filled);
}

/** Line ends in the first `bytes` of a source. */
export function countLineEnds(source: ByteReader, bytes: number): number {
  const buffer = Buffer.allocUnsafe(BLOCK_BYTES);
  let count = 0;
  for (let left = bytes; left > 0;) {
    const read = source.read(buffer.subarray(0, Math.min(left, BLOCK_BYTES)));
    if (read === 0) break;
    count += countLineEndsWithin(buffer, 0, read);
    left -= read;
  }
  return count;
}

/** Searching for the next line end is fastest when lines are long, looking at each byte when not. */
export function countLineEndsWithin(block: Buffer, from: number, to: number): number {
  let count = 0;
  let at = from;
  while (at < to && (count < SAMPLED_LINES || at - from > count * SHORT_LINE_BYTES)) {
    const found = block.indexOf(NEWLINE, at);
    if (found < 0 || found >= to) return count;
    count += 1;
    at = found + 1;
  }
  for (; at < to; at += 1) if (block[at] === NEWLINE) count += 1;
  return count;
}

/** Start of the line that a place is in. */
export function startOfLine(block: Buffer, at: number): number {
  return at === 0 ? 0 : block.lastIndexOf(NEWLINE, at - 1) + 1;
}

/** `end` is before the line end, `next` after it. */
export function endOfLine(
  block: Buffer,
  at: number,
): { readonly end: number; readonly next: number } {
  const found = block.indexOf(NEWLINE, at);
  if (found < 0) {
    const end =
      block.length > at && block[block.length - 1] === RETURN ? block.length - 1 : block.length;
    return { end, next: block.length };
  }
  return { end: found > at && block[found - 1] === RETURN ? found - 1 : found, next: found + 1 };
}
