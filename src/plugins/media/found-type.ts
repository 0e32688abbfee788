import type { MediaKind } from "../../core/types/media.js";
import { asBuffer } from "../../util/text-encoding.js";

const HEAD_BYTES = 4_096;

export const UNKNOWN_TYPE = "application/octet-stream";

/** Less specific than the declared types. */
const CONTAINERS: ReadonlyMap<string, RegExp> = new Map([
  ["application/zip", /^application\//],
  ["video/mp4", /^(?:audio|video)\/(?:mp4|x-m4a|m4a|quicktime|3gpp2?|x-m4v)$/],
  ["video/webm", /^(?:audio|video)\/(?:webm|x-matroska)$/],
  ["audio/ogg", /^(?:audio|video|application)\/(?:ogg|opus)$/],
  ["image/heic", /^image\/(?:heic|heif|heic-sequence|heif-sequence)$/],
]);

export function isSameType(found: string, declared: string): boolean {
  return (
    found === declared ||
    declared === UNKNOWN_TYPE ||
    CONTAINERS.get(found)?.test(declared) === true
  );
}

export function mediaKindOf(type: string): MediaKind {
  if (type === "application/pdf") return "pdf";
  const [family] = type.split("/");
  return family === "image" || family === "audio" || family === "video" ? family : "file";
}

export function isTextType(type: string): boolean {
  return (
    type.startsWith("text/") ||
    /^(?:application|image|model)\/(?:[\w.-]{1,60}\+)?(?:json|xml|yaml|toml|sql|graphql|x-yaml|javascript|typescript|x-ndjson|jsonl|csv|rtf|svg\+xml|x-sh)$/.test(
      type,
    )
  );
}

const MARKS: readonly (readonly [at: number, mark: string, type: string])[] = [
  [0, "\x89PNG\r\n\x1a\n", "image/png"],
  [0, "\xff\xd8\xff", "image/jpeg"],
  [0, "GIF87a", "image/gif"],
  [0, "GIF89a", "image/gif"],
  [8, "WEBPVP8", "image/webp"],
  [8, "WAVE", "audio/wav"],
  [0, "%PDF-", "application/pdf"],
  [4, "ftypavif", "image/avif"],
  [4, "ftypheic", "image/heic"],
  [4, "ftypheix", "image/heic"],
  [4, "ftypmif1", "image/heic"],
  [4, "ftypM4A ", "audio/mp4"],
  [4, "ftypqt  ", "video/quicktime"],
  [4, "ftyp", "video/mp4"],
  [0, "\x1aE\xdf\xa3", "video/webm"],
  [0, "OggS", "audio/ogg"],
  [0, "fLaC", "audio/flac"],
  [0, "ID3", "audio/mpeg"],
  [0, "II*\0", "image/tiff"],
  [0, "MM\0*", "image/tiff"],
  [0, "BM", "image/bmp"],
  [0, "PK\x03\x04", "application/zip"],
  [0, "\x1f\x8b\x08", "application/gzip"],
];

const AFTER: ReadonlyMap<string, readonly number[]> = new Map([
  ["OggS", [0]],
  ["fLaC", [0, 0x80]],
  ["ID3", [2, 3, 4]],
]);

/** Reads the first 4,096 bytes. */
export function typeInBytes(bytes: Uint8Array): string | undefined {
  const head = asBuffer(bytes).subarray(0, HEAD_BYTES);
  const found = MARKS.find(([at, mark]) => {
    const isThere = head.toString("latin1", at, at + mark.length) === mark;
    if (!isThere) return false;
    // Short marks occur in other data too.
    if (at === 8) return head.toString("latin1", 0, 4) === "RIFF";
    if (at === 4) return head[0] === 0;
    if (mark === "BM") return head.length > 26 && head.readUInt32LE(6) === 0;
    return !AFTER.has(mark) || AFTER.get(mark)?.includes(head[mark.length] ?? -1) === true;
  });
  return found?.[2];
}
