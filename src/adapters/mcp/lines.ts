import type { Writable } from "node:stream";

const LINE_FEED = 0x0a;
const END = Buffer.from("\n");

/** A message that is longer than allowed. */
export class MessageTooLongError extends Error {
  constructor(maxBytes: number) {
    super(`a message was longer than ${maxBytes} bytes`);
    this.name = "MessageTooLongError";
  }
}

/**
 * The lines of a stream of bytes, without their line feeds. What comes after the last one is half a
 * message, and is left out.
 *
 * @throws {@link MessageTooLongError} for a longer line, and whatever the stream throws.
 */
export async function* linesOf(
  stream: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Buffer> {
  let started: Buffer[] = [];
  let startedBytes = 0;
  for await (const bytes of stream) {
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    let from = 0;
    for (;;) {
      const end = chunk.indexOf(LINE_FEED, from);
      const part = chunk.subarray(from, end === -1 ? chunk.length : end);
      startedBytes += part.length;
      if (startedBytes > maxBytes) throw new MessageTooLongError(maxBytes);
      started.push(part);
      if (end === -1) break;
      yield started.length === 1 ? part : Buffer.concat(started);
      started = [];
      startedBytes = 0;
      from = end + 1;
    }
  }
}

/**
 * Writes a line. What is written in one turn of the event loop goes out together, which saves calls to
 * the system when there are many small messages.
 *
 * @returns `false` when the stream wants no more until it has drained.
 */
export function writeLine(stream: Writable, line: Uint8Array | string): boolean {
  stream.cork();
  process.nextTick(() => stream.uncork());
  return stream.write(typeof line === "string" ? `${line}\n` : Buffer.concat([line, END]));
}

/** JSON without line ends between its tokens; in strings JSON has none. */
export function onOneLine(json: Buffer): Buffer {
  const hasLineEnd = json.includes(0x0a) || json.includes(0x0d);
  return hasLineEnd ? Buffer.from(json.filter((byte) => byte !== 0x0a && byte !== 0x0d)) : json;
}
