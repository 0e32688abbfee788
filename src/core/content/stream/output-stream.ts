import { byteView, isBlob } from "../bytes.js";
import { isOdd, someJsonOf } from "../value/any-json.js";
import { decodeText, encodeText, isLead, unfinishedBytes } from "../../../util/text-encoding.js";

/** A tool's output that comes in parts. */
export interface OutputStream {
  /**
   * Hands over parts of the body until `take` asks for no more or the stream ends, which is then
   * answered with `true`. Parts of a stream of text are its own; of a stream of records each is one
   * record's JSON with a line end. No character goes on in the next part.
   */
  read(take: (part: string | Uint8Array) => "more" | "enough"): Promise<boolean>;
  /** Ends the stream early; its maker is told and not waited for. */
  close(): void;
  readonly state: StreamState;
}

/** What is known of a stream so far. */
export interface StreamState {
  /** By the first part: strings and bytes are text, any other value is a record. */
  readonly unit: "text" | "records";
  /** `false` when the stream was stopped at its size limit. */
  readonly complete: boolean;
  /** What the stream threw, or the reason of the signal. */
  readonly fault: { readonly error: unknown } | undefined;
}

/** Bounds of a stream. */
export interface StreamLimits {
  /** Most bytes of the body; the stream is stopped before the record, or in the text, that exceeds them. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The stream that a value is read as: a Node or web `ReadableStream` or any other async iterable, what a `Blob` streams,
 * or bytes in one part. `undefined` for any other value, and for one that throws when it is asked. Nothing is
 * read yet.
 */
export function streamOf(value: unknown): AsyncIterable<unknown> | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  try {
    const bytes = byteView(value);
    if (bytes !== undefined) return onePart(bytes);
    const source: unknown = isBlob(value) ? value.stream() : value;
    if (typeof source !== "object" || source === null) return undefined;
    const open: unknown = Reflect.get(source, Symbol.asyncIterator);
    if (typeof open !== "function") return undefined;
    const iterator: unknown = Reflect.apply(open, source, []);
    return isIterator(iterator) ? { [Symbol.asyncIterator]: () => iterator } : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a value has to be read here, since JSON has no word for it: a stream, bytes, a map, a set, an error. */
export function isReadHere(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  try {
    return (
      isOdd(value) ||
      isBlob(value) ||
      typeof Reflect.get(value, Symbol.asyncIterator) === "function"
    );
  } catch {
    return false;
  }
}

async function* onePart(bytes: Uint8Array): AsyncGenerator<Uint8Array, void> {
  yield bytes;
}

function isIterator(value: unknown): value is AsyncIterator<unknown> {
  return (
    typeof value === "object" && value !== null && typeof Reflect.get(value, "next") === "function"
  );
}

/** Opens a stream. Nothing is read before the first `read`. */
export function openStream(source: AsyncIterable<unknown>, limits: StreamLimits): OutputStream {
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
  const characters = createWholeCharacters();
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

  async function nextPart(from: AsyncIterator<unknown>): Promise<IteratorResult<unknown>> {
    if (signal === undefined) return await from.next();
    // One listener for the whole stream: parts may come by the million.
    return await new Promise((resolve, reject) => {
      giveUp = reject;
      if (signal.aborted) reject(signal.reason);
      else Promise.resolve(from.next()).then(resolve, reject);
    });
  }

  function bodyPart(part: unknown): string | Uint8Array {
    const bytes = typeof part === "string" ? undefined : byteView(part);
    const isText = typeof part === "string" || bytes !== undefined;
    if (isFirst) state.unit = isText ? "text" : "records";
    isFirst = false;
    if (state.unit === "records") return `${someJsonOf(part)}\n`;
    // What is no text stands in a text as JSON on a line of its own.
    return typeof part === "string" ? part : (bytes ?? `\n${someJsonOf(part)}\n`);
  }

  /** As much of a part as there is room for. */
  function fitting(part: string | Uint8Array): string | Uint8Array {
    const partBytes = typeof part === "string" ? Buffer.byteLength(part) : part.length;
    const roomBytes = maxBytes - sizeBytes;
    sizeBytes += partBytes;
    if (partBytes <= roomBytes) return part;
    state.complete = false;
    close();
    if (state.unit === "records") return "";
    if (typeof part !== "string") return beginning(part, roomBytes);
    const { bytes, encoding } = encodeText(part);
    return decodeText(beginning(bytes, roomBytes), encoding);
  }

  return {
    state,
    close,
    async read(take) {
      try {
        iterator ??= open();
        while (!isOver) {
          const result: unknown = await nextPart(iterator);
          // What is no object tells of no part, so that there is none any more.
          if (!isResult(result) || result.done === true) {
            end();
            const left = characters.end();
            if (left !== undefined) take(fitting(left));
            continue;
          }
          const part = bodyPart(result.value);
          const left = characters.endBefore(part);
          if (left !== undefined) take(fitting(left));
          if (take(fitting(characters.take(part))) === "enough") break;
        }
      } catch (error) {
        state.fault = { error };
        close();
      }
      return isOver;
    },
  };
}

/** The first bytes, without a character that does not fit. */
function beginning(bytes: Uint8Array, maxBytes: number): Uint8Array {
  const kept = bytes.subarray(0, maxBytes);
  return kept.subarray(0, kept.length - unfinishedBytes(kept));
}

function isResult(value: unknown): value is IteratorResult<unknown> {
  return typeof value === "object" && value !== null;
}

type Part = string | Uint8Array;

/** Moves what a part has of a character that goes on in the next one to that next one. */
export interface WholeCharacters {
  /** What has to go before a part of another kind, which cannot complete it. */
  endBefore(part: Part): Part | undefined;
  /** The part without its unfinished character, behind that of the part before. */
  take(part: Part): Part;
  /** What no part has completed. */
  end(): Part | undefined;
}

/** Nothing is held yet. */
export function createWholeCharacters(): WholeCharacters {
  let begun: Part | undefined;

  function end(): Part | undefined {
    const left = begun;
    begun = undefined;
    return left;
  }

  return {
    endBefore: (part) => (typeof begun === typeof part ? undefined : end()),
    take(part) {
      const left = end();
      const whole = left === undefined ? part : joined(left, part);
      const length = whole.length - unfinishedUnits(whole);
      if (length === whole.length) return whole;
      if (typeof whole === "string") {
        begun = whole.slice(length);
        return whole.slice(0, length);
      }
      // Copied: a producer may use its memory again.
      begun = Buffer.from(whole.subarray(length));
      return whole.subarray(0, length);
    },
    end,
  };
}

function joined(one: Part, other: Part): Part {
  return typeof one === "string" && typeof other === "string"
    ? one + other
    : Buffer.concat([bytesOf(one), bytesOf(other)]);
}

function bytesOf(part: Part): Uint8Array {
  return typeof part === "string" ? Buffer.from(part) : part;
}

/** UTF-16 units of a string, or bytes, at the end of a part that begin a character. */
function unfinishedUnits(part: Part): number {
  if (typeof part !== "string") return unfinishedBytes(part);
  return isLead(part.charCodeAt(part.length - 1)) ? 1 : 0;
}
