import { createJsonCutter } from "./json-cutter.js";
import { isSpace } from "../json/json-ends.js";
import { isJsonBeginning, scanJson } from "../json/json-scan.js";
import { bytesInput } from "../json/scan-input.js";

/** Splits the JSON array that a text is into its elements, one a line, while the text comes in blocks. */
export interface ArraySplitter {
  /**
   * Gives the lines of the elements that end in the next bytes, to be used before the next call. Looks at all
   * of them in one go; free once the text was no array.
   */
  take(block: Buffer): Promise<Buffer>;
  /**
   * Whether the text, which is over, is one array of at least one element.
   *
   * @param isComplete - Whether the text is: of another one two elements that are over are enough, and one that is not is left out.
   */
  isArray(isComplete: boolean): Promise<boolean>;
}

/** A longer element is not held to be looked at, and its text is no array then. */
const MAX_ELEMENT_BYTES = 4 * 1024 * 1024;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];
const NOTHING = Buffer.alloc(0);
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const LINE_FEED = 0x0a;

type State = "before" | "inside" | "after" | "none";

/**
 * Creates a splitter of strict JSON, tokens kept as they come: every few elements are scanned as an array of
 * their own. Memory is that of a block and of the longest element, at most 4 MiB.
 */
export function createArraySplitter(): ArraySplitter {
  let state: State = "before";
  let bytesBefore = 0;
  let elements = 0;
  const cutter = createJsonCutter(COMMA);

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

  async function takeElements(block: Buffer): Promise<Buffer> {
    const { bytes, end } = cutter.take(block);
    const rest = cutter.rest();
    if (cutter.isClosed()) state = bytes[end] === CLOSE_ARRAY && isBlank(rest) ? "after" : "none";
    else if (rest.length > MAX_ELEMENT_BYTES) state = "none";
    if (state === "none" || end === 0) return NOTHING;
    bytes[0] = OPEN_ARRAY;
    bytes[end] = CLOSE_ARRAY;
    const scan = await scanJson(bytesInput(bytes, 0, end + 1));
    // The scan has left line feeds in place of the commas.
    if (scan?.outline.array?.start !== 0 || scan.roots !== 1) {
      state = "none";
      return NOTHING;
    }
    elements += scan.outline.array.count;
    bytes[scan.length - 1] = LINE_FEED;
    return bytes.subarray(1, scan.length);
  }

  return {
    async take(block) {
      let lines: Buffer = NOTHING;
      if (state === "after" && !isBlank(block)) state = "none";
      const start = state === "before" ? opening(block) : 0;
      if (state === "inside") lines = await takeElements(block.subarray(start));
      if (state === "none" || state === "after") cutter.close();
      return lines;
    },
    async isArray(isComplete) {
      if (state === "after") return true;
      const isStopped = !isComplete && state === "inside" && elements > 1;
      // Prose goes on after `[1, 2, and`.
      return isStopped && (await isJsonBeginning(cutter.rest()));
    },
  };
}

function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((byte) => isSpace(byte));
}
