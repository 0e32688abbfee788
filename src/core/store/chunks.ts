import { pause } from "../../util/pause.js";
import { mapConcurrent } from "../../util/slices.js";
import type { ByteRange } from "./artifact-store.js";

/** Allocating memory takes 3 ms per MiB. */
export const BYTES_AT_ONCE = 2_097_152;

export type Body = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

/**
 * Pieces of `pieceBytes`, the last one shorter. They belong to the body, or are overwritten by the next one.
 *
 * @throws Errors of the body, TypeError for what is not bytes, RangeError for another length than `sizeBytes`.
 */
export async function* piecesOf(
  body: Body,
  sizeBytes: number,
  pieceBytes: number,
): AsyncGenerator<Uint8Array, void> {
  let [leftBytes, filled] = [sizeBytes, 0];
  let piece: Uint8Array | undefined;
  for await (const chunk of body) {
    if (!(chunk instanceof Uint8Array))
      throw new TypeError("A body must be an iterable of Uint8Array.");
    if (chunk.length > leftBytes - filled)
      throw new RangeError(`The body is longer than its sizeBytes, ${sizeBytes}.`);
    for (let at = 0; at < chunk.length;) {
      const wanted = Math.min(pieceBytes, leftBytes) - filled;
      const isWhole = filled === 0 && chunk.length - at >= wanted;
      const part = chunk.subarray(at, at + (isWhole ? wanted : Math.min(wanted, BYTES_AT_ONCE)));
      at += part.length;
      if (!isWhole) {
        piece ??= new Uint8Array(Math.min(pieceBytes, sizeBytes));
        piece.set(part, filled);
        if (part.length === BYTES_AT_ONCE) await pause();
      }
      filled += part.length;
      if (part.length < wanted) continue;
      yield isWhole ? part : (piece?.subarray(0, filled) ?? part);
      leftBytes -= filled;
      filled = 0;
    }
  }
  if (leftBytes > 0) {
    const lengthBytes = sizeBytes - leftBytes + filled;
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
