/// <reference lib="es2024.string" />
import { openStream, type StreamLimits, type StreamState } from "./output-stream.js";
import { BYTES_BETWEEN_PAUSES, pause } from "./pause.js";
import { decodeText, encodeText } from "./text-encoding.js";
import type { TextEncodingName } from "../types.js";

/** UTF-8 bytes that a UTF-16 unit takes at most. */
const MAX_BYTES_PER_UNIT = 3;
/** Room for a part whose bytes are not worth counting. */
const SMALL_BYTES = 4_096;

/** A stream whose beginning is held in memory. */
export interface HeldStream {
  readonly state: StreamState;
  /** How the text that was read so far is encoded. */
  encoding(): TextEncodingName;
  /** Reads on until more than `heldBytes` are held, or the stream ends. */
  hold(heldBytes: number): Promise<void>;
  /** Whether all of the stream is held. */
  isWhole(): boolean;
  /**
   * What is held as one text: records as a JSON array once they are whole, before that one a line.
   * A stream that was stopped at its size limit says so.
   */
  text(): string;
  /** What is held, and then the rest, in blocks of at least 1 MiB that may be overwritten afterwards. Once only. */
  blocks(): AsyncGenerator<Buffer, void>;
  close(): void;
}

/** Opens a stream; nothing is read yet. */
export function holdStream(source: AsyncIterable<unknown>, limits: StreamLimits): HeldStream {
  const stream = openStream(source, limits);
  const { state } = stream;
  let buffer = Buffer.allocUnsafeSlow(65_536);
  let heldBytes = 0;
  let isOver = false;
  let encoding: TextEncodingName = "utf-8";

  function makeRoom(bytes: number): void {
    const neededBytes = heldBytes + bytes;
    if (neededBytes <= buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(2 * buffer.length, neededBytes));
    buffer.copy(larger, 0, 0, heldBytes);
    buffer = larger;
  }

  function add(part: string | Uint8Array): void {
    if (typeof part !== "string") {
      makeRoom(part.length);
      buffer.set(part, heldBytes);
      heldBytes += part.length;
    } else if (part.isWellFormed()) {
      const { length } = part;
      // Written where it is to stand: a buffer for each part would be collected late.
      makeRoom(length * MAX_BYTES_PER_UNIT > SMALL_BYTES ? Buffer.byteLength(part) : SMALL_BYTES);
      heldBytes += buffer.write(part, heldBytes, "utf8");
    } else {
      encoding = "wtf-8";
      add(encodeText(part).bytes);
    }
  }

  async function hold(wantedBytes: number): Promise<void> {
    for (;;) {
      if (isOver || heldBytes > wantedBytes) return;
      const pauseAt = Math.min(wantedBytes, heldBytes + BYTES_BETWEEN_PAUSES);
      isOver = await stream.read((part) => {
        add(part);
        return heldBytes > pauseAt ? "enough" : "more";
      });
      // A stream that is never waited for would let nothing else run, not even an abort.
      await pause();
    }
  }

  function text(): string {
    const body = decodeText(buffer.subarray(0, heldBytes), encoding);
    const note = `The stream was stopped at its limit of ${limits.maxBytes} bytes.`;
    if (state.unit === "text") return state.complete ? body : `${body}\n[${note}]`;
    if (!isOver) return body;
    const records = `[${body.trimEnd().replaceAll("\n", ",")}]`;
    return state.complete
      ? records
      : `{"complete":false,"note":${JSON.stringify(note)},"records":${records}}`;
  }

  return {
    state,
    encoding: () => encoding,
    hold,
    isWhole: () => isOver,
    text,
    async *blocks() {
      for (;;) {
        if (heldBytes > 0) yield buffer.subarray(0, heldBytes);
        if (isOver) return;
        // A block of what came first is as large as what was held; later ones need not be.
        if (buffer.length > 2 * BYTES_BETWEEN_PAUSES) {
          buffer = Buffer.allocUnsafeSlow(2 * BYTES_BETWEEN_PAUSES);
        }
        heldBytes = 0;
        await hold(BYTES_BETWEEN_PAUSES);
      }
    },
    close: () => stream.close(),
  };
}

/** A fault of the tool's own stream is the tool's. */
export function throwFault({ state }: HeldStream): void {
  if (state.fault !== undefined) throw state.fault.error;
}
