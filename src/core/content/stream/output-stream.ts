import { byteView, createMarkReader, isBlob } from "../bytes.js";
import { someJsonOf } from "../value/any-json.js";
import { decodeText, isLead, unfinishedBytes } from "../../../util/text-encoding.js";

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

export interface StreamState {
  readonly unit: "text" | "records";
  readonly complete: boolean;
  readonly fault: { readonly error: unknown } | undefined;
}

export interface StreamLimits {
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

async function* onePart(bytes: Uint8Array): AsyncGenerator<Uint8Array, void> {
  yield bytes;
}

function isIterator(value: unknown): value is AsyncIterator<unknown> {
  return (
    typeof value === "object" && value !== null && typeof Reflect.get(value, "next") === "function"
  );
}

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

  function fitting(part: string | Uint8Array): string | Uint8Array {
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
            for (const part of wholeParts()) take(fitting(part));
            continue;
          }
          const asked = wholeParts(bodyPart(decoded(result.value))).map((part) =>
            take(fitting(part)),
          );
          if (asked.at(-1) === "enough") break;
        }
      } catch (error) {
        state.fault = { error };
        close();
      }
      return isOver;
    },
  };
}

function beginning(bytes: Uint8Array, maxBytes: number): Uint8Array {
  const kept = bytes.subarray(0, maxBytes);
  return kept.subarray(0, kept.length - unfinishedBytes(kept));
}

function isResult(value: unknown): value is IteratorResult<unknown> {
  return typeof value === "object" && value !== null;
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
