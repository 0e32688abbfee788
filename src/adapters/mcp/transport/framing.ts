import type { Writable } from "node:stream";

import { withoutMark } from "../../../core/content/bytes.js";
import { asBuffer } from "../../../util/text-encoding.js";

/** `undefined`: it was longer than the limit. */
export type Received = string | undefined;

interface MessageBuffer {
  add(bytes: Buffer): void;
  take(): Received;
}

const NONE: Buffer = Buffer.alloc(0);
const LINE_FEED = 0x0a;

/** Costs at most twice the bytes of its message, however small the pieces are. */
export function createMessageBuffer(maxBytes: number): MessageBuffer {
  let held = NONE;
  let length = 0;

  return {
    add(bytes) {
      const before = held.subarray(0, length);
      length += bytes.length;
      if (length > maxBytes) {
        held = NONE;
        return;
      }
      if (length > held.length) {
        const larger = Buffer.allocUnsafe(Math.min(2 * length, maxBytes));
        before.copy(larger);
        held = larger;
      }
      bytes.copy(held, before.length);
    },
    take() {
      // Some programs begin their output with a byte order mark.
      const message = length > maxBytes ? undefined : withoutMark(held.toString("utf8", 0, length));
      held = NONE;
      length = 0;
      return message;
    },
  };
}

/** Leaves out an unfinished last line. @throws Whatever the stream throws */
export async function* linesOf(
  stream: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Received> {
  const line = createMessageBuffer(maxBytes);
  for await (const bytes of stream) {
    const chunk = asBuffer(bytes);
    let from = 0;
    for (;;) {
      const end = chunk.indexOf(LINE_FEED, from);
      line.add(chunk.subarray(from, end === -1 ? chunk.length : end));
      if (end === -1) break;
      yield line.take();
      from = end + 1;
    }
  }
}

export function writeLine(
  stream: Writable,
  line: string,
  onWritten?: (error?: Error | null) => void,
): boolean {
  return stream.write(`${line}\n`, onWritten);
}

export function onOneLine(json: string): string {
  return json.replaceAll(/[\r\n]+/g, "");
}
