import { scanJson } from "./json-scan.js";

/** Splits the JSON array that a text is into its elements, one a line, while the text comes in blocks. */
export interface ArraySplitter {
  /**
   * Gives the lines of the elements that end in the next bytes, to be used before the next call. Looks at all
   * of them in one go; free once the text was no array.
   */
  take(block: Buffer): Promise<Buffer>;
  /** Whether the text is one whole array of at least one element. */
  isArray(): boolean;
}

/** A longer element is not held to be looked at, and its text is no array then. */
const MAX_ELEMENT_BYTES = 4 * 1024 * 1024;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];
const NOTHING = Buffer.alloc(0);
const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const LINE_FEED = 0x0a;

type State = "before" | "inside" | "after" | "none";

/**
 * Creates a splitter of strict JSON, tokens kept as they come: every few elements are scanned as an array of
 * their own. Memory is that of a block and of the longest element, at most 4 MiB.
 */
export function createArraySplitter(): ArraySplitter {
  let state: State = "before";
  let bytesBefore = 0;
  // Of the element that is not over: open brackets, and whether the last byte was in a string, or escaped the next.
  let depth = 0;
  let inString = false;
  let escapes = false;
  /** The beginning of an element that is not over. */
  let rest: Buffer = NOTHING;
  // An opening bracket, the rest, then the block: the scan writes into it. Kept, since buffers are collected late.
  let scratch = Buffer.allocUnsafeSlow(65_536);

  /** Offset after the bracket that opens the array; the length of the block where it has not come. */
  function opening(block: Uint8Array): number {
    for (let at = 0; at < block.length; at += 1) {
      const byte = block[at] ?? 0;
      if (byte === OPEN_ARRAY) {
        state = "inside";
        return at + 1;
      }
      if (!isSpace(byte) && byte !== BYTE_ORDER_MARK[bytesBefore]) {
        state = "none";
        return block.length;
      }
      bytesBefore += 1;
    }
    return block.length;
  }

  /** Offset of the last comma between elements up to `end`, or of the bracket that closes the array; -1 for none. */
  function lastSeparator(start: number, end: number): number {
    let separator = -1;
    for (let at = start; at < end; at += 1) {
      const byte = scratch[at] ?? 0;
      if (inString) {
        if (escapes) escapes = false;
        else if (byte === BACKSLASH) escapes = true;
        else if (byte === QUOTE) inString = false;
      } else if (byte === QUOTE) inString = true;
      else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) depth += 1;
      else if (byte === COMMA && depth === 0) separator = at;
      else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
        depth -= 1;
        if (depth >= 0) continue;
        state = "after";
        return at;
      }
    }
    return separator;
  }

  /** The lines of the elements before a separator; `undefined` when they are no JSON. */
  async function linesUntil(separator: number): Promise<Buffer | undefined> {
    scratch[0] = OPEN_ARRAY;
    scratch[separator] = CLOSE_ARRAY;
    const scan = await scanJson(scratch, 0, separator + 1);
    // The scan has left line feeds in place of the commas.
    if (scan?.outline.array?.start !== 0 || scan.roots !== 1) return undefined;
    scratch[scan.length - 1] = LINE_FEED;
    return scratch.subarray(1, scan.length);
  }

  async function takeElements(block: Buffer): Promise<Buffer> {
    const start = 1 + rest.length;
    const end = start + block.length;
    if (end > scratch.length) scratch = Buffer.allocUnsafeSlow(2 * end);
    scratch.set(rest, 1);
    scratch.set(block, start);
    const separator = lastSeparator(start, end);
    const isClosed = state === "after";
    rest = Buffer.from(scratch.subarray(separator === -1 ? 1 : separator + 1, end));
    if (isClosed ? scratch[separator] !== CLOSE_ARRAY || !isBlank(rest) : isTooLong(rest)) {
      state = "none";
      return NOTHING;
    }
    if (separator === -1) return NOTHING;
    const lines = await linesUntil(separator);
    if (lines === undefined) state = "none";
    return lines ?? NOTHING;
  }

  return {
    async take(block) {
      let lines: Buffer = NOTHING;
      if (state === "after" && !isBlank(block)) state = "none";
      const start = state === "before" ? opening(block) : 0;
      if (state === "inside") lines = await takeElements(block.subarray(start));
      if (state === "none" || state === "after") rest = NOTHING;
      if (state === "none") scratch = NOTHING;
      return lines;
    },
    isArray: () => state === "after",
  };
}

function isTooLong(element: Uint8Array): boolean {
  return element.length > MAX_ELEMENT_BYTES;
}

function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((byte) => isSpace(byte));
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === LINE_FEED || byte === 0x0d || byte === 0x09;
}
