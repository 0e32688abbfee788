import { createBlockScan } from "../json/block-scan.js";
import { restoreCommasNow } from "../json/json-scan.js";
import { isOpening } from "../json/json-text.js";

export type SplitItems = "elements" | "documents";

export interface JsonSplitter {
  /** Gives the lines that end in the next bytes, at most 256 KiB; `undefined` once the text was no such list. */
  take(block: Buffer): Buffer | undefined;
  /**
   * Ends the text. Gives the last lines, and how many there must be in all; `undefined` for a text that is no such list.
   *
   * @param isComplete - Whether the text is: of another one what follows the last item may be the beginning of one, and is left
   * out.
   */
  end(isComplete: boolean): { readonly lines: Buffer; readonly least: number } | undefined;
  unfinishedBytes(): number;
}

/** A longer item is not held, and its text is no list then. */
const MAX_ITEM_BYTES = 4 * 1024 * 1024;
const NOTHING: Buffer = Buffer.alloc(0);
const LINE_FEED = 0x0a;
const LINE_END = Buffer.from("\n");
const OPEN_ARRAY = 0x5b;

/** Creates a splitter of a text of which nothing has come. Memory is that of a block and of the longest item, at most 4 MiB. */
export function createJsonSplitter(items: SplitItems): JsonSplitter {
  const scan = createBlockScan();
  const ofArray = items === "elements";
  let isFirst = true;
  let isList = true;
  /** The line that is not over. */
  let held: Buffer[] = [];
  let heldBytes = 0;

  function split(text: Buffer | undefined): Buffer | undefined {
    isList &&= text !== undefined && isListed(text) && heldBytes <= MAX_ITEM_BYTES;
    if (!isList || text === undefined) return undefined;
    if (text.length === 0) return NOTHING;
    if (!ofArray) restoreCommasNow(text, 0, scan.firstBytes());
    const bytes = isFirst && ofArray ? text.subarray(1) : text;
    isFirst = false;
    const end = bytes.lastIndexOf(LINE_FEED) + 1;
    const lines = end === 0 ? NOTHING : Buffer.concat([...held, bytes.subarray(0, end)]);
    if (end > 0) [held, heldBytes] = [[], 0];
    held.push(Buffer.from(bytes.subarray(end)));
    heldBytes += bytes.length - end;
    return lines;
  }

  function isListed(text: Buffer): boolean {
    if (ofArray && scan.documents() > 1) return false;
    if (!isFirst || text.length === 0) return true;
    return ofArray ? text[0] === OPEN_ARRAY : isOpening(text[0]);
  }

  return {
    take: (block) => (isList ? split(scan.read(block)) : undefined),
    end(isComplete) {
      const lines = isList ? split(scan.end(isComplete)) : undefined;
      const isOver = scan.isOver();
      if (lines === undefined || (isComplete && !isOver)) return undefined;
      const hasLast = ofArray ? isOver : isComplete || scan.isLineOver();
      const rest = hasLast ? Buffer.concat(held) : NOTHING;
      const last = ofArray ? rest.subarray(0, -1) : rest;
      return {
        lines: last.length === 0 ? lines : Buffer.concat([lines, last, LINE_END]),
        least: ofArray && isOver ? 1 : 2,
      };
    },
    unfinishedBytes: () => scan.restBytes(),
  };
}
