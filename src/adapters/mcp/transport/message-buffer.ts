import { BYTES_BETWEEN_PAUSES, pause } from "../../../util/pause.js";
import { createEnvelopeScan, type Envelope, type EnvelopeScan } from "../envelope-scan.js";

/** What is left of a message that was longer than allowed. */
export interface LongMessage extends Envelope {
  readonly maxBytes: number;
}

/** Holds the bytes of one message after the other, each up to a limit. */
export interface MessageBuffer {
  /** Adds bytes. The promise is there when they take more than one turn of the event loop. */
  add(bytes: Buffer): Promise<void> | undefined;
  /** The message that was added; the buffer is empty then. */
  take(): Buffer | LongMessage;
}

const NONE: Buffer = Buffer.alloc(0);

/**
 * Makes a buffer. A message in one piece is that piece; one in many costs at most twice its bytes, however small
 * the pieces. Past the limit nothing is kept but whose message it is.
 */
export function createMessageBuffer(maxBytes: number): MessageBuffer {
  let held = NONE;
  /** Whether `held` is ours, with room past `length`. */
  let isOwn = false;
  let length = 0;
  let scan: EnvelopeScan | undefined;

  function append(bytes: Buffer): void {
    const needed = length + bytes.length;
    if (!isOwn || needed > held.length) {
      const larger = Buffer.allocUnsafe(Math.min(2 * needed, maxBytes));
      held.copy(larger, 0, 0, length);
      held = larger;
      isOwn = true;
    }
    bytes.copy(held, length);
    length = needed;
  }

  function empty(): void {
    held = NONE;
    isOwn = false;
    length = 0;
  }

  return {
    add(bytes) {
      if (scan !== undefined) scan.feed(bytes);
      else if (length + bytes.length > maxBytes) {
        scan = createEnvelopeScan();
        const kept = held.subarray(0, length);
        empty();
        return scanAll(scan, [kept, bytes]);
      } else if (length > 0) append(bytes);
      else {
        held = bytes;
        length = bytes.length;
      }
      return undefined;
    },
    take() {
      const message = scan ? { ...scan.end(), maxBytes } : held.subarray(0, length);
      scan = undefined;
      empty();
      return message;
    },
  };
}

/** Whether a message was longer than allowed. */
export function isTooLong(message: Buffer | LongMessage): message is LongMessage {
  return !Buffer.isBuffer(message);
}

/** The envelope of a message that is held, and that no parser takes. */
export async function envelopeOf(message: Buffer): Promise<Envelope> {
  const scan = createEnvelopeScan();
  await scanAll(scan, [message]);
  return scan.end();
}

async function scanAll(scan: EnvelopeScan, parts: readonly Buffer[]): Promise<void> {
  for (const bytes of parts) {
    for (let at = 0; at < bytes.length; at += BYTES_BETWEEN_PAUSES) {
      scan.feed(bytes.subarray(at, at + BYTES_BETWEEN_PAUSES));
      await pause();
    }
  }
}
