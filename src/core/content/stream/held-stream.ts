/// <reference lib="es2024.string" />
import { BYTES_BETWEEN_PAUSES, pause } from "../../../util/pause.js";
import { decodeText, isLead, unfinishedBytes } from "../../../util/text-encoding.js";
import { bytesAsJson, byteView, createMarkReader, createUtf8Check, isBinary } from "../bytes.js";
import { someJsonOf } from "../value/any-json.js";

interface StreamState {
  readonly unit: "text" | "records";
  readonly complete: boolean;
  readonly fault: { readonly error: unknown } | undefined;
}

export interface StreamLimits {
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
}

/** UTF-8 bytes that a UTF-16 unit takes at most. */
const MAX_BYTES_PER_UNIT = 3;
/** Room for a part whose bytes are not worth counting. */
const SMALL_BYTES = 4_096;

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

/**
 * Holds what a stream gives: the parts of a text as they are, without the mark that it begins with; of a stream of records the
 * JSON of each and a line end.
 */
export function holdStream(source: AsyncIterable<unknown>, limits: StreamLimits): HeldStream {
  const { maxBytes, signal } = limits;
  const state: { -readonly [Key in keyof StreamState]: StreamState[Key] } = {
    unit: "text",
    complete: true,
    fault: undefined,
  };
  let iterator: AsyncIterator<unknown> | undefined;
  let isFirst = true;
  let isOver = false;
  let sizeBytes = 0;
  let buffer = Buffer.allocUnsafeSlow(65_536);
  let heldBytes = 0;
  /** Whether a string was written that is not all ASCII: it is in UTF-8. */
  let hasText = false;
  const utf8 = createUtf8Check();
  const wholeParts = createWholeCharacters();
  const decoded = createMarkReader();
  let giveUp: ((reason: unknown) => void) | undefined;
  const onAbort = (): void => giveUp?.(signal?.reason);

  function end(): void {
    isOver = true;
    signal?.removeEventListener("abort", onAbort);
  }

  function close(): void {
    if (isOver) return;
    end();
    // A maker that hangs never answers.
    void Promise.resolve()
      .then(() => iterator?.return?.())
      .catch(() => {});
  }

  function open(): AsyncIterator<unknown> {
    signal?.throwIfAborted();
    signal?.addEventListener("abort", onAbort, { once: true });
    return source[Symbol.asyncIterator]();
  }

  async function nextResult(from: AsyncIterator<unknown>): Promise<IteratorResult<unknown>> {
    if (signal === undefined) return await from.next();
    // One listener for the whole stream: parts may come by the million.
    return await new Promise((resolve, reject) => {
      giveUp = reject;
      if (signal.aborted) reject(signal.reason);
      else Promise.resolve(from.next()).then(resolve, reject);
    });
  }

  function bodyPart(part: unknown): Part {
    const bytes = typeof part === "string" ? undefined : byteView(part);
    const isText = typeof part === "string" || bytes !== undefined;
    if (isFirst) state.unit = isText ? "text" : "records";
    isFirst = false;
    if (state.unit === "records") return `${someJsonOf(part)}\n`;
    // What is no text stands in a text as JSON on a line of its own.
    return typeof part === "string" ? part : (bytes ?? `\n${someJsonOf(part)}\n`);
  }

  function fitting(part: Part): Part {
    const partBytes = typeof part === "string" ? Buffer.byteLength(part) : part.length;
    const roomBytes = maxBytes - sizeBytes;
    sizeBytes += partBytes;
    if (partBytes <= roomBytes) return part;
    state.complete = false;
    close();
    if (state.unit === "records") return "";
    if (typeof part !== "string") return beginning(part, roomBytes);
    return decodeText(beginning(Buffer.from(part), roomBytes));
  }

  function makeRoom(bytes: number): void {
    const neededBytes = heldBytes + bytes;
    if (neededBytes <= buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(2 * buffer.length, neededBytes));
    buffer.copy(larger, 0, 0, heldBytes);
    buffer = larger;
  }

  function add(part: Part): void {
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

  /** Holds more parts until there are so many bytes, the stream ends or it is time for a pause. */
  async function holdSome(wantedBytes: number): Promise<void> {
    try {
      iterator ??= open();
      for (let left = PARTS_BETWEEN_PAUSES; left > 0 && !isOver; left -= 1) {
        const result: unknown = await nextResult(iterator);
        // What is no object tells of no part, so that there is none any more.
        const isPart =
          typeof result === "object" && result !== null && !Reflect.get(result, "done");
        if (!isPart) end();
        const parts = isPart
          ? wholeParts(bodyPart(decoded(Reflect.get(result, "value"))))
          : wholeParts();
        for (const part of parts) add(fitting(part));
        if (heldBytes > wantedBytes) return;
      }
    } catch (error) {
      state.fault = { error };
      close();
    }
  }

  async function hold(wantedBytes: number): Promise<void> {
    for (;;) {
      if (isOver || heldBytes > wantedBytes) return;
      await holdSome(Math.min(wantedBytes, heldBytes + BYTES_BETWEEN_PAUSES));
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
    const note = `The stream was stopped at its limit of ${maxBytes} bytes.`;
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
    close,
  };
}

function beginning(bytes: Uint8Array, maxBytes: number): Uint8Array {
  const kept = bytes.subarray(0, maxBytes);
  return kept.subarray(0, kept.length - unfinishedBytes(kept));
}

type Part = string | Uint8Array;

/**
 * Moves what a part has of a character that goes on in the next one to that next one. Gives what is whole with the next part,
 * or, without one, what no part has completed; a part of another kind cannot complete it.
 */
function createWholeCharacters(): (part?: Part) => readonly Part[] {
  let begun: Part | undefined;
  return (part) => {
    const left = begun;
    begun = undefined;
    const before = left !== undefined && typeof left !== typeof part ? [left] : [];
    if (part === undefined) return before;
    const isJoined = left !== undefined && before.length === 0;
    if (typeof part === "string") {
      const whole = isJoined ? String(left) + part : part;
      const length = whole.length - (isLead(whole.charCodeAt(whole.length - 1)) ? 1 : 0);
      if (length < whole.length) begun = whole.slice(length);
      return [...before, whole.slice(0, length)];
    }
    const whole = isJoined ? Buffer.concat([Buffer.from(left), part]) : part;
    const length = whole.length - unfinishedBytes(whole);
    // Copied: a producer may use its memory again.
    if (length < whole.length) begun = Buffer.from(whole.subarray(length));
    return [...before, whole.subarray(0, length)];
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
