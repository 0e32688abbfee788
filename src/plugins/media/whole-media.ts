import { isUtf8 } from "node:buffer";

import type { SaidOfMedia } from "./inspect-media.js";
import { mediaBlock } from "../../core/content/media/media-block.js";
import { mediaTypeFrom } from "../../core/content/media/media-type.js";
import { typeInBytes } from "./found-type.js";
import { byteView, isBinary, isBlob } from "../../core/content/bytes.js";
import { stringOf } from "../../util/as-kind.js";
import { fieldOf } from "../../util/field-of.js";

interface WholeMedia extends SaidOfMedia {
  readonly bytes: Uint8Array;
  readonly isBlock: boolean;
}

const MAX_BLOB_BYTES = 268_435_456;

/**
 * The file that an output consists of: binary bytes, a `Blob`, or a single block; otherwise `undefined`. Never throws.
 * @param isTaken - Whether to take a block of this size.
 */
export async function wholeMedia(
  value: unknown,
  isTaken: (sizeBytes: number) => boolean,
): Promise<WholeMedia | undefined> {
  if (typeof value !== "object" || value === null) return undefined;
  try {
    const bytes = await bytesIn(value);
    if (bytes !== undefined) {
      if (!isFile(bytes)) return undefined;
      const blob = isBlob(value) ? value : undefined;
      const declaredType = mediaTypeFrom(fieldOf(blob, "type"));
      return { bytes, declaredType, name: stringOf(fieldOf(blob, "name")), isBlock: false };
    }
    const block: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
    const media = Array.isArray(block) ? undefined : mediaBlock(block);
    if (media === undefined || !isTaken(media.sizeBytes)) return undefined;
    const decoded = await media.bytes();
    const { declaredType, name } = media;
    return decoded && { bytes: decoded, declaredType, name, isBlock: true };
  } catch {
    return undefined;
  }
}

async function bytesIn(value: object): Promise<Uint8Array | undefined> {
  const view = byteView(value);
  if (view !== undefined || !isBlob(value) || value.size > MAX_BLOB_BYTES) return view;
  return byteView(await value.arrayBuffer());
}

function isFile(bytes: Uint8Array): boolean {
  if (bytes.length === 0) return false;
  const type = typeInBytes(bytes);
  return type === "application/pdf" || (!isUtf8(bytes) && (type !== undefined || isBinary(bytes)));
}
