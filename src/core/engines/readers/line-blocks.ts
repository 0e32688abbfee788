import type { ByteReader } from "./byte-reader.js";

const BLOCK_BYTES = 1024 * 1024;

const NEWLINE = 10;

const SAMPLED_LINES = 32;
const SHORT_LINE_BYTES = 64;

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

/**
 * Lines of a block of them. Searching for the next line end is fastest when lines are long, looking at each byte when not.
 */
export function countLines(block: Buffer): number {
  let count = 0;
  let at = 0;
  while (at < block.length && (count < SAMPLED_LINES || at > count * SHORT_LINE_BYTES)) {
    const found = block.indexOf(NEWLINE, at);
    // A last line without a line end is a line too.
    at = found < 0 ? block.length : found + 1;
    count += 1;
  }
  for (; at < block.length; at += 1) if (block[at] === NEWLINE) count += 1;
  return count;
}
