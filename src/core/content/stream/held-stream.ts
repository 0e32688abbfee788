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

const MAX_BYTES_PER_UNIT = 3;
/** Reserved without counting the bytes. */
const SMALL_BYTES = 4_096;

const PARTS_BETWEEN_PAUSES = 2_048;

export interface HeldStream {
  readonly state: StreamState;
  isLatin1(): boolean;
  hold(heldBytes: number): Promise<void>;
  isWhole(): boolean;
  /** Complete, not stopped, and UTF-8. */
  isPlain(): boolean;
  /**
   * Records as a JSON array once the stream has ended, one per line before. Mentions a stop at the size limit; binary
   * bytes become base64.
   */
  text(): string;
  /** What is held, then the rest. Blocks may be overwritten. Can be read once. */
  blocks(): AsyncGenerator<Buffer, void>;
  close(): void;
}

/** Holds text without its byte order mark, or a line of JSON per record. */
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
  /** Whether non-ASCII strings were written, as UTF-8. */
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
    // A producer that hangs never answers.
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
    // One listener for possibly millions of parts.
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
    // Other parts of a text become JSON on their own line.
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
      // One buffer per part would be collected late.
      makeRoom(length * MAX_BYTES_PER_UNIT > SMALL_BYTES ? Buffer.byteLength(part) : SMALL_BYTES);
      const bytes = buffer.write(part, heldBytes, "utf8");
      heldBytes += bytes;
      hasText ||= bytes > length;
    }
  }

  /** Until more than `wantedBytes` are held, the stream ends, or a pause is due. */
  async function holdSome(wantedBytes: number): Promise<void> {
    try {
      iterator ??= open();
      for (let left = PARTS_BETWEEN_PAUSES; left > 0 && !isOver; left -= 1) {
        const result: unknown = await nextResult(iterator);
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
      // A stream that never waits would block even an abort.
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
        // The first block is as large as everything held.
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

/** Moves an unfinished character to the next part. */
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
    // A producer may reuse its memory.
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

export function throwFault({ state }: HeldStream): void {
  if (state.fault !== undefined) throw new StreamFault(state.fault.error);
}
