/// <reference lib="es2024.string" />
import { onceAborted } from "../../../util/abort.js";
import { isRecord } from "../../../util/is-record.js";
import { isUtf8 } from "node:buffer";

import { BYTES_BETWEEN_PAUSES, pause } from "../../../util/pause.js";
import { decodeText, encodeText, unfinishedBytes } from "../../../util/text-encoding.js";
import { INCOMPLETE } from "../cursor/live-cursor.js";
import { bytesAsJson, isBinary, isLatin1 } from "../bytes.js";
import { someJsonOf } from "../value/any-json.js";
import { createPartReader, jsonLine, partOf } from "./part-reader.js";

interface StreamState {
  unit: "text" | "records";
  complete: boolean;
  fault: { readonly error: unknown } | undefined;
}

interface StreamLimits {
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
}

const PARTS_BETWEEN_PAUSES = 2_048;

export interface HeldStream {
  readonly state: Readonly<StreamState>;
  /** Latin-1 becomes UTF-8, judged by what is held first. */
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
export function holdStream(
  source: AsyncIterable<unknown>,
  { maxBytes, signal }: StreamLimits,
): HeldStream {
  const state: StreamState = { unit: "text", complete: true, fault: undefined };
  let iterator: AsyncIterator<unknown> | undefined;
  let isFirst = true;
  let isOver = false;
  let sizeBytes = 0;
  let buffer: Buffer = Buffer.allocUnsafeSlow(65_536);
  let heldBytes = 0;
  let areLatin1: boolean | undefined;
  const read = createPartReader();
  let giveUp: ((reason: unknown) => void) | undefined;
  const onAbort = (): void => giveUp?.(signal?.reason);

  function end() {
    isOver = true;
    signal?.removeEventListener("abort", onAbort);
  }

  function close() {
    if (isOver) return;
    end();
    // A producer that hangs never answers.
    void Promise.resolve()
      .then(() => iterator?.return?.())
      .catch(() => {});
  }

  function open(): AsyncIterator<unknown> {
    signal?.throwIfAborted();
    onceAborted(signal, onAbort);
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

  function take(came: unknown) {
    const part = partOf(came);
    if (isFirst) state.unit = part === undefined ? "records" : "text";
    isFirst = false;
    if (state.unit === "records") add(read(`${someJsonOf(came)}\n`));
    else if (part === undefined || typeof part === "string") add(read(part ?? jsonLine(came)));
    else add(inUtf8(read(part)));
  }

  function inUtf8(bytes: Buffer): Buffer {
    return areLatin1 ? Buffer.from(bytes.toString("latin1")) : bytes;
  }

  function add(bytes: Buffer) {
    const roomBytes = maxBytes - sizeBytes;
    sizeBytes += bytes.length;
    let part = bytes;
    if (bytes.length > roomBytes) {
      state.complete = false;
      close();
      part = bytes.subarray(0, state.unit === "records" ? 0 : roomBytes);
      part = part.subarray(0, part.length - unfinishedBytes(part));
    }
    const neededBytes = heldBytes + part.length;
    if (neededBytes > buffer.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(2 * buffer.length, neededBytes));
      buffer.copy(larger, 0, 0, heldBytes);
      buffer = larger;
    }
    buffer.set(part, heldBytes);
    heldBytes = neededBytes;
  }

  async function hold(wantedBytes: number) {
    try {
      iterator ??= open();
      let dueBytes = heldBytes + BYTES_BETWEEN_PAUSES;
      for (let parts = 1; !isOver && heldBytes <= wantedBytes; parts += 1) {
        const result: unknown = await nextResult(iterator);
        if (isRecord(result) && !result["done"]) {
          take(result["value"]);
        } else {
          end();
          add(inUtf8(read()));
        }
        if (parts % PARTS_BETWEEN_PAUSES > 0 && heldBytes < dueBytes) continue;
        dueBytes = heldBytes + BYTES_BETWEEN_PAUSES;
        // A stream that never waits would block even an abort.
        await pause();
      }
      areLatin1 ??= await judge();
    } catch (error) {
      state.fault = { error };
      close();
    }
  }

  const held = (): Buffer => buffer.subarray(0, heldBytes);

  async function judge(): Promise<boolean> {
    if (!(await isLatin1(held()))) return false;
    buffer = await encodeText(held().toString("latin1"));
    heldBytes = buffer.length;
    return true;
  }

  function heldText(): string {
    return isOver && isBinary(held()) ? JSON.stringify(bytesAsJson(held())) : decodeText(held());
  }

  function text(): string {
    const body = heldText();
    const note = `The stream was stopped at its limit of ${maxBytes} bytes.`;
    if (state.unit === "text") return state.complete ? body : `${body}\n[${note}]`;
    if (!isOver) return body;
    const records = `[${body.trimEnd().replaceAll("\n", ",")}]`;
    return state.complete ? records : `${INCOMPLETE}${JSON.stringify(note)},"records":${records}}`;
  }

  return {
    state,
    hold,
    isWhole: () => isOver,
    isPlain: () => isOver && state.complete && isUtf8(held()),
    text,
    async *blocks() {
      for (;;) {
        if (heldBytes > 0) yield held();
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
