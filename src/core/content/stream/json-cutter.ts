/** Cuts JSON text that comes in blocks where its outermost items end: in no string, and inside no brackets. */
export interface JsonCutter {
  /** Gives the items that are over with the next block, which may be overwritten afterwards. */
  take(block: Uint8Array): CutItems;
  /** Gives the item that is not over: the text ends here. */
  last(): CutItems;
  /** Bytes of the item that is not over; after {@link isClosed}, those behind the bracket. */
  rest(): Buffer;
  /** Whether a bracket has closed that was not opened here. The items before it were the last ones. */
  isClosed(): boolean;
  /** Lets go of all bytes. */
  close(): void;
}

/**
 * Whole items with what separates them: the bytes from 1 up to `end`, where the last separator stands; 0 when none is
 * over. The bytes hold until the next call, and may all be written to, also those at 0 and at `end`.
 */
export interface CutItems {
  readonly bytes: Buffer;
  readonly end: number;
}

const NOTHING = Buffer.alloc(0);
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** Brackets and braces differ in this bit only. */
const BRACE_BIT = 0x20;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/**
 * Creates a cutter of a text of which nothing has come. Memory is that of a block and of the longest item, which its user
 * bounds.
 *
 * @param separator - The byte between two items.
 */
export function createJsonCutter(separator: number): JsonCutter {
  // Of the item that is not over: open brackets, and whether the last byte was in a string, or escaped the next.
  let open = 0;
  let inString = false;
  let escapes = false;
  let isClosed = false;
  let rest: Buffer = NOTHING;
  // A byte, the rest, the block, a byte. Kept, since buffers are collected late.
  let scratch = Buffer.allocUnsafeSlow(65_536);

  function place(block: Uint8Array): number {
    const end = 1 + rest.length + block.length;
    if (end >= scratch.length) scratch = Buffer.allocUnsafeSlow(2 * end);
    scratch.set(rest, 1);
    scratch.set(block, 1 + rest.length);
    return end;
  }

  /** Offset of the last separator between items, or of the bracket that closes what holds them; 0 for none. */
  function lastSeparator(start: number, end: number): number {
    const bytes = scratch;
    let depth = open;
    let last = 0;
    for (let at = inString ? behindString(start, end) : start; at < end; at += 1) {
      const byte = bytes[at] ?? 0;
      if (byte === QUOTE) at = behindString(at + 1, end) - 1;
      else if ((byte | BRACE_BIT) === OPEN) depth += 1;
      else if ((byte | BRACE_BIT) === CLOSE) {
        depth -= 1;
        isClosed = depth < 0;
        if (isClosed) return at;
      } else if (byte === separator && depth === 0) last = at;
    }
    open = depth;
    return last;
  }

  /** Offset behind the string of which the bytes from `start` are, `end` where more of it is to come. */
  function behindString(start: number, end: number): number {
    const bytes = scratch;
    let at = escapes ? start + 1 : start;
    while (at < end && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
    inString = at >= end;
    escapes = at > end;
    return inString ? end : at + 1;
  }

  return {
    take(block) {
      const start = 1 + rest.length;
      const end = place(block);
      const last = lastSeparator(start, end);
      rest = Buffer.from(scratch.subarray(last + 1, end));
      return { bytes: scratch, end: last };
    },
    last: () => ({ bytes: scratch, end: place(NOTHING) }),
    rest: () => rest,
    isClosed: () => isClosed,
    close() {
      rest = NOTHING;
      scratch = NOTHING;
    },
  };
}
