import { createCipheriv, createDecipheriv } from "node:crypto";

import { OffloadError } from "../../core/types/errors.js";
import type { OutputKey } from "./keys.js";

/** AES-256-GCM under the key of one output. No two of its calls of the same side have the same nonce. */
export interface Seal {
  /** The record's text, once. */
  sealRecord(text: string): Buffer;
  /** @throws {@link OffloadError} with code `ARTIFACT_DAMAGED`, here and in `openChunk` */
  openRecord(sealed: Uint8Array): string;
  /** A piece of the body, each index once. */
  sealChunk(plain: Uint8Array, index: number, sizeBytes: number): Buffer;
  openChunk(sealed: Uint8Array, index: number, sizeBytes: number): Buffer;
}

/** What GCM adds to each piece. */
export const TAG_BYTES = 16;
const NONCE_BYTES = 12;
const CIPHER = "aes-256-gcm";
/** No chunk has this index: 2^32 of them would be 256 TiB. */
const RECORD_INDEX = 0xffff_ffff;

/**
 * Makes the seal of an output. Its id and scope, what a piece is, and of a chunk its place and the whole body's length
 * are authenticated with each piece, so that none can be moved, cut off, or taken from another output.
 */
export function createSeal(
  { key }: OutputKey,
  { id, scope }: { readonly id: string; readonly scope: string },
): Seal {
  function close(plain: Uint8Array, index: number, sizeBytes: number): Buffer {
    const cipher = createCipheriv(CIPHER, key, nonceOf(index), { authTagLength: TAG_BYTES });
    cipher.setAAD(placeOf(index, sizeBytes));
    return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  }

  function open(sealed: Uint8Array, index: number, sizeBytes: number): Buffer {
    try {
      const end = sealed.length - TAG_BYTES;
      const cipher = createDecipheriv(CIPHER, key, nonceOf(index), { authTagLength: TAG_BYTES });
      cipher.setAAD(placeOf(index, sizeBytes));
      cipher.setAuthTag(sealed.subarray(end));
      return Buffer.concat([cipher.update(sealed.subarray(0, end)), cipher.final()]);
    } catch (cause) {
      throw damaged(id, cause);
    }
  }

  function placeOf(index: number, sizeBytes: number): Buffer {
    return Buffer.from(JSON.stringify([id, scope, index, sizeBytes]));
  }

  return {
    sealRecord: (text) => close(Buffer.from(text), RECORD_INDEX, 0),
    openRecord: (sealed) => open(sealed, RECORD_INDEX, 0).toString("utf8"),
    sealChunk: close,
    openChunk: open,
  };
}

/** The error of what is not as it was stored. */
export function damaged(id: string, cause?: unknown): OffloadError {
  return new OffloadError(
    "ARTIFACT_DAMAGED",
    `The stored output ${id} is not as it was stored: a part of it was changed, cut off or put elsewhere. ` +
      "Call the tool that made it again with the same arguments.",
    { cause },
  );
}

function nonceOf(index: number): Buffer {
  const nonce = Buffer.alloc(NONCE_BYTES);
  nonce.writeUInt32BE(index, NONCE_BYTES - 4);
  return nonce;
}
