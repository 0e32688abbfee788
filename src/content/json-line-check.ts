import { scanJson } from "./json-scan.js";

/** Tells whether the lines of a text that comes in blocks are objects and arrays of JSON, one each. */
export interface JsonLineCheck {
  /** Looks at the next bytes; free once a line was none. */
  take(block: Uint8Array): Promise<void>;
  /** Whether every line was one, the unfinished last one included. */
  end(): Promise<boolean>;
}

/** A longer line is not held to be looked at, and its text is no JSON lines then. */
const MAX_LINE_BYTES = 4 * 1024 * 1024;
const LINE_FEED = 0x0a;
const OPEN_OBJECT = 0x7b;
const OPEN_ARRAY = 0x5b;

/** Creates a check of strict JSON; memory is that of a block and of the longest line, at most 4 MiB. */
export function createJsonLineCheck(): JsonLineCheck {
  let isJson = true;
  // The unfinished line, then the block: the scan writes into it. Kept, since buffers are collected late.
  let scratch = Buffer.allocUnsafeSlow(65_536);
  let restBytes = 0;

  async function areJson(bytes: number): Promise<boolean> {
    if (bytes === 0) return true;
    const lines = countLines(scratch.subarray(0, bytes));
    if (scratch[0] !== OPEN_OBJECT && scratch[0] !== OPEN_ARRAY) return false;
    return (await scanJson(scratch, 0, bytes))?.roots === lines;
  }

  return {
    async take(block) {
      if (!isJson) return;
      const allBytes = restBytes + block.length;
      if (allBytes >= scratch.length) {
        const larger = Buffer.allocUnsafeSlow(2 * allBytes);
        scratch.copy(larger, 0, 0, restBytes);
        scratch = larger;
      }
      scratch.set(block, restBytes);
      const end = scratch.subarray(0, allBytes).lastIndexOf(LINE_FEED) + 1;
      const rest = Buffer.from(scratch.subarray(end, allBytes));
      isJson = rest.length <= MAX_LINE_BYTES && (await areJson(end));
      if (isJson) scratch.set(rest);
      else scratch = Buffer.alloc(0);
      restBytes = rest.length;
    },
    end: async () => isJson && (await areJson(restBytes)),
  };
}

function countLines(bytes: Buffer): number {
  let lines = 0;
  let at = 0;
  while (at < bytes.length) {
    const end = bytes.indexOf(LINE_FEED, at);
    lines += 1;
    at = end === -1 ? bytes.length : end + 1;
  }
  return lines;
}
