import { bytesInput, isJsonBeginning, restoreCommas, scanJson } from "../json/json-scan.js";
import { isOpening, isSpace } from "../json/json-text.js";

/** Splits JSON text that comes in blocks, without its byte order mark, into items that are one a line. */
export interface JsonSplitter {
  /**
   * Gives the lines of the items that end in the next bytes, to be used before the next call. Looks at all of them in one go;
   * free once the text was no such list.
   */
  take(block: Buffer): Promise<Buffer>;
  /**
   * Gives the last lines, and ends the text.
   *
   * @param isComplete - Whether the text is: of another one what follows the last item may be the beginning of one, and is left
   * out.
   */
  end(isComplete: boolean): Promise<Buffer>;
  /** Whether the text, which has ended, is such a list. */
  isList(): boolean;
  /** Bytes that were left out at the end. */
  unfinishedBytes(): number;
}

/** A longer item is not held to be looked at, and its text is no list then. */
const MAX_ITEM_BYTES = 4 * 1024 * 1024;
const NOTHING = Buffer.alloc(0);
const COMMA = 0x2c;
const LINE_FEED = 0x0a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
/** Brackets and braces differ in this bit only. */
const BRACE_BIT = 0x20;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/**
 * Creates a splitter of strict JSON, tokens kept as they come. Memory is that of a block and of the longest item, at most 4 MiB.
 *
 * @param form - One array of at least one element, of which two are enough where it was stopped; or two or more documents, each an
 * object or an array with a line end before the next one.
 */
export function createJsonSplitter(form: "array" | "documents"): JsonSplitter {
  const isArray = form === "array";
  const cutter = createCutter(isArray ? COMMA : LINE_FEED);
  let state: "before" | "inside" | "after" | "none" = isArray ? "before" : "inside";
  let items = 0;
  let left = 0;

  function none(): Buffer {
    state = "none";
    cutter.close();
    return NOTHING;
  }

  /** Offset after the bracket that opens the array; the length of the block where it has not come. */
  function opening(block: Buffer): number {
    const at = block.findIndex((byte) => !isSpace(byte));
    if (at === -1) return block.length;
    state = block[at] === OPEN_ARRAY ? "inside" : "none";
    return at + 1;
  }

  /** Every few elements are scanned as an array of their own. */
  async function elementLines({ bytes, end }: CutItems): Promise<Buffer> {
    if (end === 0) return NOTHING;
    bytes[0] = OPEN_ARRAY;
    bytes[end] = CLOSE_ARRAY;
    const scan = await scanJson(bytesInput(bytes, 0, end + 1));
    // The scan has left line feeds in place of the commas.
    if (scan?.outline.array?.start !== 0 || scan.roots !== 1) return none();
    items += scan.outline.array.count;
    bytes[scan.length - 1] = LINE_FEED;
    return bytes.subarray(1, scan.length);
  }

  async function documentLines({ bytes, end }: CutItems): Promise<Buffer> {
    const first = firstToken(bytes.subarray(1, end));
    if (first === undefined) return NOTHING;
    const scan = isOpening(first) ? await scanJson(bytesInput(bytes, 1, end)) : undefined;
    if (scan === undefined) return none();
    // Only the first document was read as if it were alone.
    await restoreCommas(bytes, 0, scan.firstRootEnd);
    items += scan.roots;
    bytes[scan.length] = LINE_FEED;
    return bytes.subarray(0, scan.length + 1);
  }

  return {
    async take(block) {
      if (state === "after" && firstToken(block) !== undefined) return none();
      const start = state === "before" ? opening(block) : 0;
      if (state === "none") return none();
      if (state !== "inside") return NOTHING;
      const cut = cutter.take(block.subarray(start));
      if (!cutter.isClosed()) {
        if (cutter.rest().length > MAX_ITEM_BYTES) return none();
      } else {
        const isOver = isArray && cut.bytes[cut.end] === CLOSE_ARRAY;
        if (!isOver || firstToken(cutter.rest()) !== undefined) return none();
        state = "after";
      }
      return isArray ? await elementLines(cut) : await documentLines(cut);
    },
    async end(isComplete) {
      if (state !== "inside") return NOTHING;
      if (isComplete) return isArray ? none() : await documentLines(cutter.last());
      if (isArray && items < 2) return none();
      const rest = cutter.rest();
      const first = firstToken(rest);
      // Prose goes on after `[1, 2, and`.
      const isBegun = isArray || first === undefined || isOpening(first);
      if (!isBegun || (first !== undefined && !(await isJsonBeginning(rest)))) return none();
      left = rest.length;
      if (isArray) state = "after";
      return NOTHING;
    },
    isList: () => (isArray ? state === "after" : state !== "none" && items > 1),
    unfinishedBytes: () => left,
  };
}

/** The first byte that is no white space. */
function firstToken(bytes: Buffer): number | undefined {
  return bytes.find((byte) => !isSpace(byte));
}

/**
 * Whole items with what separates them: the bytes from 1 up to `end`, where the last separator stands, or the bracket that closes
 * what holds them; 0 when none is over. The bytes hold until the next call, and may all be written to, also those at 0 and at `end`.
 */
interface CutItems {
  readonly bytes: Buffer;
  readonly end: number;
}

/** Cuts JSON text that comes in blocks where its outermost items end: at a separator in no string and inside no brackets. */
function createCutter(separator: number) {
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
    /** Gives the items that are over with the next block, which may be overwritten afterwards. */
    take(block: Uint8Array): CutItems {
      const start = 1 + rest.length;
      const end = place(block);
      const last = lastSeparator(start, end);
      rest = Buffer.from(scratch.subarray(last + 1, end));
      return { bytes: scratch, end: last };
    },
    /** Gives the item that is not over: the text ends here. */
    last: (): CutItems => ({ bytes: scratch, end: place(NOTHING) }),
    /** Bytes of the item that is not over; once a bracket has closed that was not opened here, those behind it. */
    rest: () => rest,
    isClosed: () => isClosed,
    close() {
      rest = NOTHING;
      scratch = NOTHING;
    },
  };
}
