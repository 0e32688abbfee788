import { type CutItems, createJsonCutter } from "./json-cutter.js";
import { isOpening, isSpace } from "../json/json-ends.js";
import { restoreCommas } from "../json/json-marks.js";
import { isJsonBeginning, scanJson } from "../json/json-scan.js";
import { bytesInput } from "../json/scan-input.js";

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
   * @param isComplete - Whether the text is: what follows the last line end of another one, and may be the beginning
   * of a document, is left out.
   */
  end(isComplete: boolean): Promise<Buffer>;
  /** Whether the text so far is two or more documents. */
  areDocuments(): boolean;
  /** Bytes that were left out at the end. */
  unfinishedBytes(): number;
}

/** A longer document is not held to be looked at, and its text is no sequence then. */
const MAX_DOCUMENT_BYTES = 4 * 1024 * 1024;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const NOTHING = Buffer.alloc(0);
const LINE_FEED = 0x0a;

/**
 * Creates a splitter of strict JSON, tokens kept as they come. Memory is that of a block and of the longest
 * document, at most 4 MiB.
 */
export function createDocumentSplitter(): DocumentSplitter {
  let isSequence = true;
  let documents = 0;
  let isBegun = false;
  let left = 0;
  const cutter = createJsonCutter(LINE_FEED);

  async function linesOf({ bytes, end }: CutItems): Promise<Buffer> {
    const first = firstToken(bytes.subarray(1, end));
    if (first === undefined) return NOTHING;
    const scan = isOpening(first) ? await scanJson(bytesInput(bytes, 1, end)) : undefined;
    if (scan === undefined) {
      isSequence = false;
      cutter.close();
      return NOTHING;
    }
    // Only the first document was read as if it were alone.
    await restoreCommas(bytes, 0, scan.firstRootEnd);
    documents += scan.roots;
    bytes[scan.length] = LINE_FEED;
    return bytes.subarray(0, scan.length + 1);
  }

  return {
    async take(block) {
      if (!isSequence || block.length === 0) return NOTHING;
      const isMarked = !isBegun && block.subarray(0, 3).equals(BYTE_ORDER_MARK);
      isBegun = true;
      const items = cutter.take(isMarked ? block.subarray(3) : block);
      isSequence = !cutter.isClosed() && cutter.rest().length <= MAX_DOCUMENT_BYTES;
      if (!isSequence) cutter.close();
      return isSequence ? await linesOf(items) : NOTHING;
    },
    async end(isComplete) {
      if (!isSequence) return NOTHING;
      if (isComplete) return await linesOf(cutter.last());
      const rest = cutter.rest();
      const first = firstToken(rest);
      isSequence = first === undefined || (isOpening(first) && (await isJsonBeginning(rest)));
      left = rest.length;
      return NOTHING;
    },
    areDocuments: () => isSequence && documents > 1,
    unfinishedBytes: () => left,
  };
}

/** The first byte that is no white space. */
function firstToken(bytes: Buffer): number | undefined {
  return bytes.find((byte) => !isSpace(byte));
}
