import type { Writable } from "node:stream";

import { createMessageBuffer, type LongMessage } from "./message-buffer.js";

const LINE_FEED = 0x0a;
const END = Buffer.from("\n");
const MARK = Buffer.from("\u{FEFF}");

/**
 * The lines of a stream of bytes, without their line feeds; of a longer one than allowed what is left of it.
 * What comes after the last line feed is half a message, and is left out.
 *
 * @throws Whatever the stream throws.
 */
export async function* linesOf(
  stream: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Buffer | LongMessage> {
  const line = createMessageBuffer(maxBytes);
  for await (const bytes of stream) {
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    let from = 0;
    for (;;) {
      const end = chunk.indexOf(LINE_FEED, from);
      const added = line.add(chunk.subarray(from, end === -1 ? chunk.length : end));
      if (added !== undefined) await added;
      if (end === -1) break;
      yield line.take();
      from = end + 1;
    }
  }
}

/**
 * Writes a line. What is written in one turn of the event loop goes out together, which saves calls to
 * the system when there are many small messages.
 *
 * @param onWritten - Told when the system has the line, or why it never will.
 * @returns `false` when the stream wants no more until it has drained.
 */
export function writeLine(
  stream: Writable,
  line: Uint8Array | string,
  onWritten?: (error?: Error | null) => void,
): boolean {
  stream.cork();
  process.nextTick(() => stream.uncork());
  const bytes = typeof line === "string" ? `${line}\n` : Buffer.concat([line, END]);
  return stream.write(bytes, onWritten);
}

/** The line without the byte order mark that some programs begin their output with. */
export function withoutMark(line: Buffer): Buffer {
  return line.subarray(0, MARK.length).equals(MARK) ? line.subarray(MARK.length) : line;
}

/** JSON without line ends between its tokens; in strings JSON has none. */
export function onOneLine(json: Buffer): Buffer {
  const hasLineEnd = json.includes(0x0a) || json.includes(0x0d);
  return hasLineEnd ? Buffer.from(json.filter((byte) => byte !== 0x0a && byte !== 0x0d)) : json;
}
