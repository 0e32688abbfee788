import { begunScan, scanWindow } from "./json-scan.js";
import {
  EXPECTS,
  KEY_END_BYTES,
  LINE_ENDED,
  READ,
  ROOT_ENDED,
  WINDOW_START,
} from "./scanner/scanner.js";

const COMMA = 0x2c;
const LINE_FEED = 0x0a;
const CLOSE_ARRAY = 0x5d;
const CLOSE_OBJECT = 0x7d;
const NOTHING: Buffer = Buffer.alloc(0);

/** A scan of JSON text that comes in blocks of at most 256 KiB. */
export interface BlockScan {
  /**
   * Reads the next block and gives what it adds to the compacted text, to be used before the next call; `undefined` once it is no
   * JSON. The last bytes of a block may wait for the next one.
   */
  read(block: Buffer): Buffer | undefined;
  /**
   * Reads what waits: the text ends here.
   *
   * @param isComplete - Whether it does not just stop, maybe in a token.
   */
  end(isComplete: boolean): Buffer | undefined;
  firstBytes(): number;
  documents(): number;
  isOver(): boolean;
  isLineOver(): boolean;
  restBytes(): number;
}

/** Starts a scan of a text of which nothing has come. Memory is that of a block. */
export function createBlockScan(): BlockScan {
  let block: Buffer = NOTHING;
  let isLast = false;
  let target: Buffer = NOTHING;
  let [readBytes, lineStart, rootStart, documents, firstBytes, sizeBytes] = [0, 0, 0, 1, 0, 0];
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
  const isOver = (): boolean => scan.state[EXPECTS] === ROOT_ENDED;

  function read(next: Buffer): Buffer | undefined {
    const before = scan.roots;
    block = next;
    scan.length = 0;
    scan.nextRootAt = undefined;
    if (!scanWindow(scan)) return undefined;
    if (scan.nextRootAt !== undefined) rootStart = readBytes + scan.nextRootAt;
    documents = scan.roots + (isOver() ? 0 : 1);
    firstBytes = before > 0 ? 0 : scan.roots > 0 ? scan.firstRootEnd : scan.length;
    readBytes += (scan.state[READ] ?? 0) - WINDOW_START;
    return scan.bytes.subarray(0, scan.length);
  }

  return {
    read(next) {
      const lineEnd = next.lastIndexOf(LINE_FEED);
      if (lineEnd !== -1) lineStart = sizeBytes + lineEnd + 1;
      sizeBytes += next.length;
      return read(next);
    },
    end(isComplete) {
      isLast = true;
      if (isComplete) return read(NOTHING);
      // A token ends before these, if one has begun before them.
      const ends = [COMMA, LINE_FEED, CLOSE_ARRAY, CLOSE_OBJECT].map((byte) =>
        scan.carried.lastIndexOf(byte),
      );
      scan.carried = scan.carried.subarray(0, Math.max(KEY_END_BYTES, ...ends.map((at) => at + 1)));
      return read(NOTHING);
    },
    firstBytes: () => firstBytes,
    documents: () => documents,
    isOver,
    isLineOver: () => isOver() && scan.state[LINE_ENDED] === 1,
    restBytes: () => sizeBytes - (isOver() && scan.state[LINE_ENDED] === 1 ? lineStart : rootStart),
  };
}
