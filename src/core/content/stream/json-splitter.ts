import { createBlockScan } from "../json/block-scan.js";
import { restoreCommasNow } from "../json/json-scan.js";
import { isOpening } from "../json/json-text.js";

/** What a text may be: the elements of one array, or documents, each an object or an array with a line end before the next one. */
interface SplitLines {
  readonly elements: Buffer;
  readonly documents: Buffer;
}

/** The last lines, and how many there must be in all; `undefined` for a text that is no such list. */
interface LastLines {
  readonly lines: Buffer;
  readonly least: number | undefined;
}

/** Splits strict JSON that comes in blocks into lines, tokens kept as they come. */
export interface JsonSplitter {
  /** Gives the lines that end in the next bytes, at most 256 KiB; free once the text was no such list. */
  take(block: Buffer): SplitLines;
  /**
   * Ends the text.
   *
   * @param isComplete - Whether the text is: of another one what follows the last item may be the beginning of one, and is left
   * out.
   */
  end(isComplete: boolean): { readonly elements: LastLines; readonly documents: LastLines };
  /** Bytes that were left out at the end of documents. */
  unfinishedBytes(): number;
}

/** A longer item is not held, and its text is no list then. */
const MAX_ITEM_BYTES = 4 * 1024 * 1024;
const NOTHING: Buffer = Buffer.alloc(0);
const LINE_FEED = 0x0a;
const LINE_END = Buffer.from("\n");
const OPEN_ARRAY = 0x5b;

/** Creates a splitter of a text of which nothing has come. Memory is that of a block and of the longest item, at most 4 MiB. */
export function createJsonSplitter(): JsonSplitter {
  const scan = createBlockScan();
  const elements = createHolder();
  const documents = createHolder();
  let isFirst = true;

  function split(text: Buffer | undefined): SplitLines {
    if (text === undefined || (isFirst && text.length > 0 && !isOpening(text[0]))) documents.fail();
    const isArray = text !== undefined && (!isFirst || text[0] === OPEN_ARRAY);
    if (text?.length !== 0 && (!isArray || scan.documents() > 1)) elements.fail();
    if (text === undefined || text.length === 0) return { elements: NOTHING, documents: NOTHING };
    const ofArray = elements.take(isFirst ? text.subarray(1) : text);
    if (!documents.hasFailed()) restoreCommasNow(text, 0, scan.firstBytes());
    isFirst = false;
    return { elements: ofArray, documents: documents.take(text) };
  }

  return {
    take(block) {
      if (elements.hasFailed() && documents.hasFailed())
        return { elements: NOTHING, documents: NOTHING };
      return split(scan.read(block));
    },
    end(isComplete) {
      const isNone = elements.hasFailed() && documents.hasFailed();
      const last = isNone ? undefined : split(scan.end(isComplete));
      const isOver = scan.isOver();
      if (last === undefined || (isComplete && !isOver)) {
        elements.fail();
        documents.fail();
      }
      const element = isOver ? elements.rest().subarray(0, -1) : NOTHING;
      const hasDocument = isComplete || scan.isLineOver();
      return {
        elements: endOf(elements, last?.elements ?? NOTHING, element, isOver ? 1 : 2),
        documents: endOf(
          documents,
          last?.documents ?? NOTHING,
          hasDocument ? documents.rest() : NOTHING,
          2,
        ),
      };
    },
    unfinishedBytes: () => scan.restBytes(),
  };
}

function endOf(holder: Holder, lines: Buffer, last: Buffer, least: number): LastLines {
  if (holder.hasFailed()) return { lines: NOTHING, least: undefined };
  const end = last.length === 0 ? [] : [last, LINE_END];
  return { lines: Buffer.concat([lines, ...end]), least };
}

type Holder = ReturnType<typeof createHolder>;

/** Holds the line that is not over. */
function createHolder() {
  let held: Buffer[] = [];
  let heldBytes = 0;
  let hasFailed = false;

  function fail(): void {
    hasFailed = true;
    held = [];
  }

  return {
    /** Gives the lines that are over. */
    take(bytes: Buffer): Buffer {
      if (hasFailed) return NOTHING;
      const end = bytes.lastIndexOf(LINE_FEED) + 1;
      const lines = end === 0 ? NOTHING : Buffer.concat([...held, bytes.subarray(0, end)]);
      if (end > 0) [held, heldBytes] = [[], 0];
      held.push(Buffer.from(bytes.subarray(end)));
      heldBytes += bytes.length - end;
      if (heldBytes > MAX_ITEM_BYTES) fail();
      return lines;
    },
    rest: () => Buffer.concat(held),
    fail,
    hasFailed: () => hasFailed,
  };
}
