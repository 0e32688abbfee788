const NEWLINE = 10;
const RETURN = 13;

/** Lines after which their mean length decides how line ends are counted. */
const SAMPLED_LINES = 32;
const SHORT_LINE_BYTES = 64;

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
