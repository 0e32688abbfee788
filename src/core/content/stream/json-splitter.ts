import { begunScan, restoreCommasNow, scanWindow } from "../json/json-scan.js";
import { COMMA, isOpening, OPEN_ARRAY } from "../json/json-text.js";
import { EXPECTS, LINE_ENDED, ROOT_ENDED } from "../json/scanner/scanner.js";
import { LINE_FEED, NOTHING } from "../../../util/text-encoding.js";

export type SplitItems = "elements" | "documents";

interface JsonSplitter {
  /** At most 256 KiB; `undefined` once the text is no such list. */
  take(block: Buffer): Buffer | undefined;
  /**
   * The last lines, and how many there must be in all.
   *
   * @param isComplete - If `false`, an unfinished last item is dropped.
   */
  end(isComplete: boolean): { readonly lines: Buffer; readonly least: number } | undefined;
}

const MAX_ITEM_BYTES = 4 * 1024 * 1024;
const LINE_END = Buffer.from("\n");
const ENDS = [COMMA, LINE_FEED, 0x5d, 0x7d];

/** Holds a block and the longest item, at most 4 MiB. */
export function createJsonSplitter(items: SplitItems): JsonSplitter {
  const ofArray = items === "elements";
  let block = NOTHING;
  let isLast = false;
  let target = NOTHING;
  let isFirst = true;
  let isList = true;
  let held: Buffer[] = [];
  let heldBytes = 0;
  const scan = begunScan({
    fill(window) {
      window.set(block);
      return block.length;
    },
    isOver: () => isLast,
    room(length, bytes) {
      if (length + bytes >= target.length)
        target = Buffer.allocUnsafeSlow(2 * (length + bytes) + 1);
      return target;
    },
  });
  const isOver = () => scan.state[EXPECTS] === ROOT_ENDED;

  /** The last bytes of a block may wait for the next one. */
  function compacted(next: Buffer): Buffer | undefined {
    const isInFirst = scan.roots === 0;
    block = next;
    scan.length = 0;
    if (!scanWindow(scan)) return undefined;
    const bytes = scan.bytes.subarray(0, scan.length);
    if (isInFirst && !ofArray)
      restoreCommasNow(bytes, 0, scan.roots > 0 ? scan.firstRootEnd : scan.length);
    return bytes;
  }

  function isListed(text: Buffer): boolean {
    if (ofArray && scan.roots + (isOver() ? 0 : 1) > 1) return false;
    if (!isFirst || text.length === 0) return true;
    return ofArray ? text[0] === OPEN_ARRAY : isOpening(text[0]);
  }

  function split(next: Buffer): Buffer | undefined {
    const text = isList && heldBytes <= MAX_ITEM_BYTES ? compacted(next) : undefined;
    if (text === undefined || !isListed(text)) {
      isList = false;
      return undefined;
    }
    if (text.length === 0) return NOTHING;
    const bytes = isFirst && ofArray ? text.subarray(1) : text;
    isFirst = false;
    const end = bytes.lastIndexOf(LINE_FEED) + 1;
    const lines = end === 0 ? NOTHING : Buffer.concat([...held, bytes.subarray(0, end)]);
    if (end > 0) [held, heldBytes] = [[], 0];
    held.push(Buffer.from(bytes.subarray(end)));
    heldBytes += bytes.length - end;
    return lines;
  }

  return {
    take: split,
    end(isComplete) {
      isLast = true;
      if (!isComplete) {
        const { carried } = scan;
        const ends = ENDS.map((byte) => carried.lastIndexOf(byte) + 1);
        scan.carried = carried.subarray(0, Math.max(...ends));
      }
      const lines = split(NOTHING);
      if (lines === undefined || (isComplete && !isOver())) return undefined;
      const hasLast = ofArray ? isOver() : isComplete || (isOver() && scan.state[LINE_ENDED] === 1);
      const rest = hasLast ? Buffer.concat(held) : NOTHING;
      const last = ofArray ? rest.subarray(0, -1) : rest;
      return {
        lines: last.length === 0 ? lines : Buffer.concat([lines, last, LINE_END]),
        least: ofArray && isOver() ? 1 : 2,
      };
    },
  };
}
