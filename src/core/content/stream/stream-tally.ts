import { createHash } from "node:crypto";

import { createSpreadSample } from "./spread-sample.js";

/** What is kept of a body that goes by, in bounded memory. */
export interface StreamTally {
  /** Notes the next bytes, which may be overwritten afterwards. */
  take(block: Buffer): void;
  readonly sizeBytes: () => number;
  /** Lines so far; an unfinished last one counts. */
  readonly lineCount: () => number;
  /** Lines without their ends, spread evenly over the body: at most 2,000, and 8 MiB. */
  readonly lines: () => readonly string[];
  /** Text from 32 to 64 places spread evenly over the body, 1 KiB each, to estimate tokens from. */
  readonly windows: () => Buffer;
  /** The last 64 KiB. */
  readonly tail: () => Buffer;
  /** The last line without its end; `undefined` when it is longer than the tail. */
  readonly lastLine: () => string | undefined;
  /** SHA-256 in hex; ends the tally. */
  readonly digest: () => string;
}

const MAX_LINES = 2_000;
const MAX_LINE_BYTES = 1 << 20;
const WINDOWS = 64;
const WINDOW_BYTES = 1_024;
const TAIL_BYTES = 65_536;
const LINE_FEED = 0x0a;

/** Creates a tally of a body of which nothing has gone by. */
export function createStreamTally(): StreamTally {
  const hash = createHash("sha256");
  const lines = createSpreadSample<string>(MAX_LINES, 8 * MAX_LINE_BYTES);
  const windows = createSpreadSample<Buffer>(WINDOWS, 8 * WINDOWS * WINDOW_BYTES);
  let sizeBytes = 0;
  let lineIndex = 0;
  /** The beginning of an unfinished line that the sample wants; `undefined` when it is too long. */
  let begun: Buffer[] | undefined = [];
  let begunBytes = 0;
  let endsLine = true;
  let tail: Buffer = Buffer.alloc(0);

  function keepBeginning(part: Buffer): void {
    begunBytes += part.length;
    if (begunBytes > MAX_LINE_BYTES) begun = undefined;
    else if (lines.wants(lineIndex)) begun?.push(Buffer.from(part));
  }

  function takeLines(block: Buffer): void {
    let at = 0;
    for (let end = block.indexOf(LINE_FEED); end !== -1; end = block.indexOf(LINE_FEED, at)) {
      if (lines.wants(lineIndex)) {
        const length = begunBytes + end - at;
        if (begun !== undefined && length <= MAX_LINE_BYTES) {
          const line = Buffer.concat([...begun, block.subarray(at, end)]);
          lines.add(lineIndex, line.toString("utf8"), length);
        }
      }
      begun = [];
      begunBytes = 0;
      lineIndex += 1;
      at = end + 1;
    }
    keepBeginning(block.subarray(at));
    endsLine = at === block.length;
  }

  function takeWindows(block: Buffer): void {
    const first = Math.ceil(sizeBytes / WINDOW_BYTES);
    const beyond = Math.ceil((sizeBytes + block.length) / WINDOW_BYTES);
    for (let window = first; window < beyond; window += 1) {
      if (!windows.wants(window)) continue;
      const start = window * WINDOW_BYTES - sizeBytes;
      const part = Buffer.from(block.subarray(start, start + WINDOW_BYTES));
      windows.add(window, part, part.length);
    }
  }

  return {
    take(block) {
      if (block.length === 0) return;
      hash.update(block);
      takeLines(block);
      takeWindows(block);
      const last = block.subarray(-TAIL_BYTES);
      if (last.length === TAIL_BYTES && tail.length === TAIL_BYTES) last.copy(tail);
      else tail = Buffer.concat([tail, last]).subarray(-TAIL_BYTES);
      sizeBytes += block.length;
    },
    sizeBytes: () => sizeBytes,
    lineCount: () => lineIndex + (endsLine ? 0 : 1),
    lines: () => lines.items(),
    windows: () => Buffer.concat(windows.items()),
    tail: () => tail,
    lastLine() {
      const line = endsLine ? tail.subarray(0, -1) : tail;
      const start = line.lastIndexOf(LINE_FEED) + 1;
      return start === 0 && sizeBytes > tail.length ? undefined : line.toString("utf8", start);
    },
    digest: () => hash.digest("hex"),
  };
}
