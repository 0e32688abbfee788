import type { StoredMedia } from "../../core/types/media.js";
import { grouped } from "../../util/amounts.js";

const IMAGE_TYPES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
/** @source Anthropic, Vision and PDF support: 8,000 pixels, 100 pages */
const MAX_EDGE = 8_000;
const MAX_PAGES = 100;
/** 5 MiB in base64; providers refuse more. */
const MAX_VIEW_BYTES = 3_900_000;
const END_BYTES = 65_536;

export function refusedBy(
  { kind, type, width = 0, height = 0, pages = 0, locked }: StoredMedia,
  sizeBytes: number,
): string | undefined {
  if (kind === "file") return `a model cannot be shown ${type}`;
  if (sizeBytes > MAX_VIEW_BYTES) {
    return `it has ${grouped(sizeBytes)} bytes, and at most ${grouped(MAX_VIEW_BYTES)} are shown`;
  }
  if (kind === "pdf") {
    if (locked) return "it is encrypted";
    return pages > MAX_PAGES ? `it has more than ${MAX_PAGES} pages` : undefined;
  }
  if (kind !== "image") return undefined;
  if (!IMAGE_TYPES.has(type)) return `models take PNG, JPEG, GIF and WebP, not ${type}`;
  if (width === 0 || height === 0) return "it is cut off or damaged";
  return Math.max(width, height) > MAX_EDGE
    ? `an edge has more than ${grouped(MAX_EDGE)} pixels`
    : undefined;
}

/** Of an image whose header has its size. */
export function isWholeImage(bytes: Uint8Array, type: string): boolean {
  const end = Buffer.from(bytes.subarray(Math.max(0, bytes.length - END_BYTES)));
  switch (type) {
    case "image/png":
      return end.includes("IEND");
    case "image/jpeg":
      return end.includes(Buffer.from([0xff, 0xd9]));
    case "image/gif":
      return end.includes(0x3b);
    default:
      return Buffer.from(bytes.subarray(4, 8)).readUInt32LE() + 8 <= bytes.length;
  }
}
