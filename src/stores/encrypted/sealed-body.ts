import { pause } from "../../util/pause.js";
import type { ByteRange } from "../../core/store/artifact-store.js";
import { checkChunk, checkLength } from "../../core/store/body/chunks.js";
import { damaged, type Seal, TAG_BYTES } from "./seal.js";

/** Plain bytes in a chunk; the last one of a body has fewer. */
export const CHUNK_BYTES = 65_536;
const SEALED_BYTES = CHUNK_BYTES + TAG_BYTES;
/** Chunks between two turns of the event loop: a millisecond or two of work. */
const CHUNKS_A_TURN = 32;

/** Length of a body once it is sealed. */
export function sealedLength(sizeBytes: number): number {
  return sizeBytes + TAG_BYTES * Math.ceil(sizeBytes / CHUNK_BYTES);
}

/**
 * Seals a body chunk by chunk, whatever pieces it comes in.
 *
 * @throws What the body throws, and Error when its length is not `sizeBytes`.
 */
export async function* sealBody(
  body: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  sizeBytes: number,
  seal: Seal,
): AsyncGenerator<Uint8Array, void> {
  const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, sizeBytes));
  let filled = 0;
  let lengthBytes = 0;
  let index = 0;
  for await (const piece of body) {
    lengthBytes = checkChunk(piece, lengthBytes, sizeBytes);
    for (let at = 0; at < piece.length;) {
      const part = piece.subarray(at, at + chunk.length - filled);
      chunk.set(part, filled);
      filled += part.length;
      at += part.length;
      if (filled < chunk.length) continue;
      yield seal.sealChunk(chunk, index, sizeBytes);
      index += 1;
      filled = 0;
      if (index % CHUNKS_A_TURN === 0) await pause();
    }
  }
  checkLength(lengthBytes, sizeBytes);
  if (filled > 0) yield seal.sealChunk(chunk.subarray(0, filled), index, sizeBytes);
}

/** Where the chunks lie that a range of a body touches. */
export function sealedRange({ start, end }: ByteRange, sizeBytes: number): ByteRange {
  if (start >= end) return { start: 0, end: 0 };
  const last = Math.ceil(end / CHUNK_BYTES) * SEALED_BYTES;
  const first = Math.floor(start / CHUNK_BYTES) * SEALED_BYTES;
  return { start: first, end: Math.min(last, sealedLength(sizeBytes)) };
}

/**
 * The bytes of a range, from the chunks that it touches.
 *
 * @throws {@link OffloadError} with code `ARTIFACT_DAMAGED` when these are not what was sealed.
 */
export async function openRange(
  sealed: Uint8Array,
  { start, end }: ByteRange,
  about: { readonly id: string; readonly sizeBytes: number; readonly seal: Seal },
): Promise<Uint8Array> {
  const { id, sizeBytes, seal } = about;
  const from = sealedRange({ start, end }, sizeBytes);
  if (sealed.length !== from.end - from.start) throw damaged(id);
  const bytes = new Uint8Array(end - start);
  for (let at = 0; at < sealed.length; at += SEALED_BYTES) {
    const index = (from.start + at) / SEALED_BYTES;
    const plain = seal.openChunk(sealed.subarray(at, at + SEALED_BYTES), index, sizeBytes);
    const before = start - index * CHUNK_BYTES;
    bytes.set(plain.subarray(Math.max(0, before), before + bytes.length), Math.max(0, -before));
    if (at > 0 && index % CHUNKS_A_TURN === 0) await pause();
  }
  return bytes;
}
