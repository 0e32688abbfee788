import { createCipheriv, createDecipheriv, type KeyObject } from "node:crypto";
import { OffloadError } from "../../core/types/errors.js";
import { pause } from "../../util/pause.js";
import type { ByteRange } from "../../core/store/artifact-store.js";
import { type Body, piecesOf } from "../../core/store/chunks.js";

/** Encrypts the record and the chunks of one output, each under its own index, used once. */
export interface Seal {
  close(plain: Uint8Array, index: number, sizeBytes: number): Buffer;
  /** @throws {@link OffloadError} with code `ARTIFACT_DAMAGED` */
  open(sealed: Uint8Array, index: number, sizeBytes: number): Buffer;
}

const TAG_BYTES = 16;
const NONCE_BYTES = 12;
const CIPHER = "aes-256-gcm";
/** No chunk has this index: 2^32 of them would be 256 TiB. */
export const RECORD_INDEX = 0xffff_ffff;

/**
 * Each piece authenticates the output's id and session key, and a chunk also its index and the
 * body's length, so that none can be moved, cut off, or taken from another output.
 */
export function createSeal(
  key: KeyObject,
  { id, sessionKey }: { readonly id: string; readonly sessionKey: string },
): Seal {
  const placeOf = (index: number, sizeBytes: number): Buffer =>
    Buffer.from(JSON.stringify([id, sessionKey, index, sizeBytes]));
  return {
    close(plain, index, sizeBytes) {
      const cipher = createCipheriv(CIPHER, key, nonceOf(index), { authTagLength: TAG_BYTES });
      cipher.setAAD(placeOf(index, sizeBytes));
      return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
    },
    open(sealed, index, sizeBytes) {
      try {
        const end = sealed.length - TAG_BYTES;
        const cipher = createDecipheriv(CIPHER, key, nonceOf(index), { authTagLength: TAG_BYTES });
        cipher.setAAD(placeOf(index, sizeBytes));
        cipher.setAuthTag(sealed.subarray(end));
        return Buffer.concat([cipher.update(sealed.subarray(0, end)), cipher.final()]);
      } catch (cause) {
        throw damaged(id, cause);
      }
    },
  };
}

export function damaged(id: string, cause?: unknown): OffloadError {
  return new OffloadError(
    "ARTIFACT_DAMAGED",
    `The stored output ${id} is not as it was stored: part of it was changed, cut off or moved, or its key has another value than the one given here. If a tool made it, call that tool again.`,
    { cause },
  );
}

function nonceOf(index: number): Buffer {
  const nonce = Buffer.alloc(NONCE_BYTES);
  nonce.writeUInt32BE(index, NONCE_BYTES - 4);
  return nonce;
}

/** Plain bytes in a chunk; the last one of a body has fewer. */
export const CHUNK_BYTES = 65_536;
const SEALED_BYTES = CHUNK_BYTES + TAG_BYTES;
/** Chunks sealed before yielding to the event loop: a millisecond or two of work. */
const CHUNKS_A_TURN = 32;

export function sealedLength(sizeBytes: number): number {
  return sizeBytes + TAG_BYTES * Math.ceil(sizeBytes / CHUNK_BYTES);
}

/** @throws What the body throws, and Error when its length is not `sizeBytes`. */
export async function* sealBody(
  body: Body,
  sizeBytes: number,
  seal: Seal,
): AsyncGenerator<Uint8Array, void> {
  let index = 0;
  for await (const chunk of piecesOf(body, sizeBytes, CHUNK_BYTES)) {
    yield seal.close(chunk, index, sizeBytes);
    index += 1;
    if (index % CHUNKS_A_TURN === 0) await pause();
  }
}

export function sealedRange({ start, end }: ByteRange, sizeBytes: number): ByteRange {
  if (start >= end) return { start: 0, end: 0 };
  const last = Math.ceil(end / CHUNK_BYTES) * SEALED_BYTES;
  const first = Math.floor(start / CHUNK_BYTES) * SEALED_BYTES;
  return { start: first, end: Math.min(last, sealedLength(sizeBytes)) };
}

/** @throws {@link OffloadError} with code `ARTIFACT_DAMAGED` when the bytes are not what was sealed. */
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
    const plain = seal.open(sealed.subarray(at, at + SEALED_BYTES), index, sizeBytes);
    const before = start - index * CHUNK_BYTES;
    bytes.set(plain.subarray(Math.max(0, before), before + bytes.length), Math.max(0, -before));
    if (at > 0 && index % CHUNKS_A_TURN === 0) await pause();
  }
  return bytes;
}
