import { isUtf8 } from "node:buffer";

import { isSameType, isTextType, mediaKindOf, typeInBytes, UNKNOWN_TYPE } from "./found-type.js";
import { isWholeImage } from "./view-limits.js";
import type { MediaBlock } from "../../core/content/media/media-block.js";
import type { StoredMedia } from "../../core/types/media.js";
import { shorten } from "../../util/safe-text.js";
import { asBuffer } from "../../util/text-encoding.js";

export type SaidOfMedia = Pick<MediaBlock, "declaredType" | "name">;

const MAX_NAME_CHARACTERS = 200;

/**
 * Identifies hostile bytes by their headers, without unpacking. Their own type wins over a contradicting declared
 * one.
 */
export function inspectMedia(
  bytes: Uint8Array,
  { declaredType, name }: SaidOfMedia,
): StoredMedia & { readonly isText: boolean } {
  const found = typeInBytes(bytes);
  const isSame =
    found === undefined || declaredType === undefined || isSameType(found, declaredType);
  const isVague = declaredType === undefined || declaredType === UNKNOWN_TYPE;
  const type = (isSame && !isVague ? declaredType : found) ?? UNKNOWN_TYPE;
  const kind = mediaKindOf(type);
  const pixels = kind === "image" ? pixelsOf(bytes, found ?? type) : undefined;
  const pdf = found === "application/pdf" ? pdfFacts(bytes) : undefined;
  const line = name
    ?.slice(0, 4 * MAX_NAME_CHARACTERS)
    .replaceAll(/\s+/g, " ")
    .trim();
  return {
    kind,
    type,
    ...(!isSame && { declaredType }),
    ...(line !== undefined && { name: shorten(line, MAX_NAME_CHARACTERS) }),
    ...pixels,
    ...pdf,
    isText: found === undefined && isTextType(type) && isUtf8(bytes),
  };
}

interface Pixels {
  readonly width: number;
  readonly height: number;
}

const MAX_HEADER_BYTES = 1_048_576;

/** `undefined` for other types than PNG, JPEG, GIF and WebP, and for a file that is cut off or has no pixels. */
function pixelsOf(bytes: Uint8Array, type: string): Pixels | undefined {
  try {
    const pixels = headerPixels(asBuffer(bytes).subarray(0, MAX_HEADER_BYTES), type);
    const isShowable =
      pixels !== undefined && pixels.width > 0 && pixels.height > 0 && isWholeImage(bytes, type);
    return isShowable ? pixels : undefined;
  } catch (error) {
    // The header ends before its size.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** @throws RangeError when the bytes end before the size. */
function headerPixels(data: Buffer, type: string): Pixels | undefined {
  switch (type) {
    case "image/png":
      if (data.toString("latin1", 12, 16) !== "IHDR") return undefined;
      return { width: data.readUInt32BE(16), height: data.readUInt32BE(20) };
    case "image/gif":
      return { width: data.readUInt16LE(6), height: data.readUInt16LE(8) };
    case "image/webp":
      return webpPixels(data);
    case "image/jpeg":
      return jpegPixels(data);
    default:
      return undefined;
  }
}

function webpPixels(data: Buffer): Pixels | undefined {
  switch (data.toString("latin1", 12, 16)) {
    case "VP8X":
      return { width: 1 + data.readUIntLE(24, 3), height: 1 + data.readUIntLE(27, 3) };
    case "VP8L": {
      const bits = data.readUInt32LE(21);
      return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) };
    }
    case "VP8 ":
      return { width: data.readUInt16LE(26) & 0x3fff, height: data.readUInt16LE(28) & 0x3fff };
    default:
      return undefined;
  }
}

function jpegPixels(data: Buffer): Pixels | undefined {
  let at = 2;
  while (data[at] === 0xff) {
    const marker = data.readUInt8(at + 1);
    if (marker === 0xff) {
      // A byte that fills up.
      at += 1;
      continue;
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { width: data.readUInt16BE(at + 7), height: data.readUInt16BE(at + 5) };
    const length = data.readUInt16BE(at + 2);
    if (length < 2) return undefined;
    at += 2 + length;
  }
  return undefined;
}

const WINDOW_BYTES = 1_048_576;
/** An entry of the trailer, and not the bare word. */
const ENCRYPTED = /\/Encrypt\s{0,9}(?:\d{1,9}\s{1,9}\d{1,9}\s{1,9}R|<<)/;

/**
 * The page count of the last page tree root in the last or first MiB, else what a linearized PDF says in its first
 * object; unknown without both, as where the tree is compressed.
 */
function pdfFacts(bytes: Uint8Array): Pick<StoredMedia, "pages" | "locked"> {
  const data = asBuffer(bytes);
  const end = Math.max(WINDOW_BYTES, data.length - WINDOW_BYTES);
  const first = data.toString("latin1", 0, WINDOW_BYTES);
  const last = data.toString("latin1", end);
  const locked = ENCRYPTED.test(first) || ENCRYPTED.test(last);
  const [, linear = ""] = first.slice(0, 1024).split("/Linearized", 2);
  const [, count = 0] = /\/N ?(\d{1,6})\b/.exec(linear.split(">", 1)[0] ?? "") ?? [];
  const pages = rootCount(last) ?? rootCount(first) ?? Number(count);
  return { ...(pages && { pages }), ...(locked && { locked }) };
}

function rootCount(window: string): number | undefined {
  const root = window
    .split("endobj")
    .map((object) => object.slice(object.lastIndexOf(" obj")))
    .findLast((object) => /\/Type ?\/Pages\b/.test(object) && !object.includes("/Parent"));
  const [, digits] = /\/Count (\d{1,6})\b/.exec(root ?? "") ?? [];
  return digits === undefined ? undefined : Number(digits);
}
