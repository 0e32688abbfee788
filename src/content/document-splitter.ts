import { restoreCommas } from "./json-marks.js";
import { scanJson } from "./json-scan.js";

/**
 * Splits a text that comes in blocks and is JSON documents, each an object or an array with a line end before the
 * next one, into one document a line.
 */
export interface DocumentSplitter {
  /**
   * Gives the lines of the documents that end in the next bytes, to be used before the next call; free once the
   * text was no such sequence.
   */
  take(block: Buffer): Promise<Buffer>;
  /**
   * Gives the last lines, and ends the text.
   *
   * @param isComplete - Whether the text is: what follows the last line end of another one is left out.
   */
  end(isComplete: boolean): Promise<Buffer>;
  /** Whether the text so far is two or more documents. */
  areDocuments(): boolean;
}

/** A longer document is not held to be looked at, and its text is no sequence then. */
const MAX_DOCUMENT_BYTES = 4 * 1024 * 1024;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const NOTHING = Buffer.alloc(0);
const QUOTE = 0x22;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const LINE_FEED = 0x0a;

/**
 * Creates a splitter of strict JSON, tokens kept as they come. Memory is that of a block and of the longest
 * document, at most 4 MiB.
 */
export function createDocumentSplitter(): DocumentSplitter {
  let isSequence = true;
  let documents = 0;
  let isBegun = false;
  // Of the document that is not over: open brackets, and whether the last byte was in a string, or escaped the next.
  let depth = 0;
  let inString = false;
  let escapes = false;
  /** What follows the last line end between documents. */
  let rest: Buffer = NOTHING;
  // The rest, then the block: the scan writes into it. Kept, since buffers are collected late.
  let scratch = Buffer.allocUnsafeSlow(65_536);

  /** Offset after the last line end that is in no document. */
  function lastLineEnd(start: number, end: number): number {
    let lineEnd = 0;
    for (let at = start; at < end; at += 1) {
      const byte = scratch[at] ?? 0;
      if (inString) {
        if (escapes) escapes = false;
        else if (byte === BACKSLASH) escapes = true;
        else if (byte === QUOTE) inString = false;
      } else if (byte === QUOTE) inString = true;
      else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) depth += 1;
      else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) depth -= 1;
      else if (byte === LINE_FEED && depth === 0) lineEnd = at + 1;
    }
    return lineEnd;
  }

  /** The lines of the documents in the first bytes of the scratch; a line end is to have room after them. */
  async function linesOf(bytes: number): Promise<Buffer> {
    const first = firstToken(scratch, bytes);
    if (first === undefined) return NOTHING;
    const scan =
      first === OPEN_OBJECT || first === OPEN_ARRAY ? await scanJson(scratch, 0, bytes) : undefined;
    if (scan === undefined) {
      isSequence = false;
      scratch = NOTHING;
      return NOTHING;
    }
    // Only the first document was read as if it were alone.
    await restoreCommas(scratch, 0, scan.firstRootEnd);
    documents += scan.roots;
    scratch[scan.length] = LINE_FEED;
    return scratch.subarray(0, scan.length + 1);
  }

  function place(block: Uint8Array): number {
    const bytes = rest.length + block.length;
    if (bytes >= scratch.length) scratch = Buffer.allocUnsafeSlow(2 * bytes + 1);
    scratch.set(rest);
    scratch.set(block, rest.length);
    return bytes;
  }

  return {
    async take(block) {
      if (!isSequence || block.length === 0) return NOTHING;
      const isMarked = !isBegun && block.subarray(0, 3).equals(BYTE_ORDER_MARK);
      isBegun = true;
      const start = rest.length;
      const bytes = place(isMarked ? block.subarray(3) : block);
      const lineEnd = lastLineEnd(start, bytes);
      rest = Buffer.from(scratch.subarray(lineEnd, bytes));
      if (rest.length > MAX_DOCUMENT_BYTES) isSequence = false;
      return isSequence ? await linesOf(lineEnd) : NOTHING;
    },
    async end(isComplete) {
      const isOver = !isSequence || !isComplete;
      return isOver ? NOTHING : await linesOf(place(NOTHING));
    },
    areDocuments: () => isSequence && documents > 1,
  };
}

/** The first byte that is no white space. */
function firstToken(bytes: Buffer, end: number): number | undefined {
  for (let at = 0; at < end; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte !== 0x20 && byte !== LINE_FEED && byte !== 0x0d && byte !== 0x09) return byte;
  }
  return undefined;
}
