import { pause } from "../../util/pause.js";
import { mapConcurrent } from "../../util/slices.js";
import type { ByteRange } from "./artifact-store.js";

/** Allocating memory takes 3 ms per MiB. */
const BYTES_AT_ONCE = 2_097_152;

export type Body = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

/**
 * Each piece is overwritten by the next one.
 *
 * @throws Errors of the body, TypeError for a chunk that is not bytes, RangeError for another length than
 * `sizeBytes`.
 */
export async function* piecesOf(
  body: Body,
  sizeBytes: number,
  pieceBytes: number,
): AsyncGenerator<Uint8Array, void> {
  let lengthBytes = 0;
  let filled = 0;
  const piece = new Uint8Array(Math.min(pieceBytes, sizeBytes));
  for await (const chunk of body) {
    if (!(chunk instanceof Uint8Array)) {
      throw new TypeError(
        "A body must be an iterable of Uint8Array; wrap a single one in an array.",
      );
    }
    if (lengthBytes + chunk.length > sizeBytes) {
      throw new RangeError(`The body is longer than its sizeBytes, ${sizeBytes}.`);
    }
    for (let at = 0; at < chunk.length;) {
      const part = chunk.subarray(at, at + Math.min(piece.length - filled, BYTES_AT_ONCE));
      piece.set(part, filled);
      filled += part.length;
      at += part.length;
      lengthBytes += part.length;
      if (filled < piece.length && lengthBytes < sizeBytes) {
        if (part.length === BYTES_AT_ONCE) await pause();
        continue;
      }
      yield piece.subarray(0, filled);
      filled = 0;
    }
  }
  if (lengthBytes < sizeBytes) {
    throw new RangeError(`The body has ${lengthBytes} bytes, its sizeBytes is ${sizeBytes}.`);
  }
}

export async function* headed(header: Uint8Array, body: Body): AsyncGenerator<Uint8Array, void> {
  yield header;
  yield* body;
}

/** `undefined` if a part is missing or too short. */
export async function readInParts(
  { start, end }: ByteRange,
  { partBytes, atOnce }: { readonly partBytes: number; readonly atOnce: number },
  readPart: (part: ByteRange) => Promise<Uint8Array | undefined>,
): Promise<Uint8Array | undefined> {
  const bytes = new Uint8Array(end - start);
  const first = Math.floor(start / partBytes);
  const parts = Array.from({ length: Math.ceil(end / partBytes) - first }, (_, index) => ({
    start: Math.max(start, (first + index) * partBytes),
    end: Math.min(end, (first + index + 1) * partBytes),
  }));
  let isWhole = true;
  await mapConcurrent(parts, atOnce, async (part) => {
    const found = await readPart(part);
    if (found?.length === part.end - part.start) bytes.set(found, part.start - start);
    else isWhole = false;
  });
  return isWhole ? bytes : undefined;
}
