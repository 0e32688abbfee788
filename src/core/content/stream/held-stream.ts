/// <reference lib="es2024.string" />
import { openStream, type StreamLimits, type StreamState } from "./output-stream.js";
import { BYTES_BETWEEN_PAUSES, pause } from "../../../util/pause.js";
import { decodeText } from "../../../util/text-encoding.js";
import { bytesAsJson, createUtf8Check, isBinary } from "../bytes.js";

/** UTF-8 bytes that a UTF-16 unit takes at most. */
const MAX_BYTES_PER_UNIT = 3;
/** Room for a part whose bytes are not worth counting. */
const SMALL_BYTES = 4_096;

/** A stream may go on without end in parts that are empty. */
const PARTS_BETWEEN_PAUSES = 2_048;

export interface HeldStream {
  readonly state: StreamState;
  /** Whether what was read so far is best read byte by byte, as Latin-1: it came in bytes that are no UTF-8. */
  isLatin1(): boolean;
  hold(heldBytes: number): Promise<void>;
  isWhole(): boolean;
  /** Whether all of it is held, and its text says all of it: it was not stopped, and its bytes are UTF-8. */
  isPlain(): boolean;
  /**
   * What is held as one text: records as a JSON array once they are whole, before that one a line.
   * A stream that was stopped at its size limit says so. Once it is whole, bytes that are no text are JSON with their base64.
   */
  text(): string;
  /** What is held, and then the rest, in blocks of at least 1 MiB that may be overwritten afterwards. Once only. */
  blocks(): AsyncGenerator<Buffer, void>;
  close(): void;
}

export function holdStream(source: AsyncIterable<unknown>, limits: StreamLimits): HeldStream {
  const stream = openStream(source, limits);
  const { state } = stream;
  let buffer = Buffer.allocUnsafeSlow(65_536);
  let heldBytes = 0;
  let isOver = false;
  /** Whether a string was written that is not all ASCII: it is in UTF-8. */
  let hasText = false;
  const utf8 = createUtf8Check();

  function makeRoom(bytes: number): void {
    const neededBytes = heldBytes + bytes;
    if (neededBytes <= buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(2 * buffer.length, neededBytes));
    buffer.copy(larger, 0, 0, heldBytes);
    buffer = larger;
  }

  function add(part: string | Uint8Array): void {
    if (typeof part !== "string") {
      utf8.take(part);
      makeRoom(part.length);
      buffer.set(part, heldBytes);
      heldBytes += part.length;
    } else {
      const { length } = part;
      // Written where it is to stand: a buffer for each part would be collected late.
      makeRoom(length * MAX_BYTES_PER_UNIT > SMALL_BYTES ? Buffer.byteLength(part) : SMALL_BYTES);
      const bytes = buffer.write(part, heldBytes, "utf8");
      heldBytes += bytes;
      hasText ||= bytes > length;
    }
  }

  async function hold(wantedBytes: number): Promise<void> {
    for (;;) {
      if (isOver || heldBytes > wantedBytes) return;
      const pauseAt = Math.min(wantedBytes, heldBytes + BYTES_BETWEEN_PAUSES);
      let parts = 0;
      isOver = await stream.read((part) => {
        add(part);
        parts += 1;
        return heldBytes > pauseAt || parts === PARTS_BETWEEN_PAUSES ? "enough" : "more";
      });
      // A stream that is never waited for would let nothing else run, not even an abort.
      await pause();
    }
  }

  const isLatin1 = (): boolean => !hasText && utf8.isLatin1();

  function heldText(): string {
    const held = buffer.subarray(0, heldBytes);
    if (!isOver || state.unit === "records" || utf8.isUtf8()) return decodeText(held);
    if (isBinary(held)) return JSON.stringify(bytesAsJson(held));
    return isLatin1() ? held.toString("latin1") : decodeText(held);
  }

  function text(): string {
    const body = heldText();
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
    isLatin1,
    hold,
    isWhole: () => isOver,
    isPlain: () => isOver && state.complete && utf8.isUtf8(),
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

export class StreamFault extends Error {
  readonly thrown: unknown;

  constructor(thrown: unknown) {
    super("The stream failed.");
    this.thrown = thrown;
  }
}

/** @throws {@link StreamFault} when the stream has failed. */
export function throwFault({ state }: HeldStream): void {
  if (state.fault !== undefined) throw new StreamFault(state.fault.error);
}
