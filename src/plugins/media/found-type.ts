import type { MediaKind } from "../../core/types/media.js";
import { asBuffer } from "../../util/text-encoding.js";

const HEAD_BYTES = 64;

export const UNKNOWN_TYPE = "application/octet-stream";

/** Less specific than the declared types. */
const CONTAINERS: ReadonlyMap<string, RegExp> = new Map([
  ["application/zip", /^application\//],
  ["video/mp4", /^(?:audio|video)\/(?:mp4|x-m4a|m4a|quicktime|3gpp2?|x-m4v)$/],
  ["video/webm", /^(?:audio|video)\/(?:webm|x-matroska)$/],
  ["audio/ogg", /^(?:audio|video|application)\/(?:ogg|opus)$/],
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

/* oxlint-disable no-control-regex -- file marks have control characters */
/** Beginnings of files in Latin-1, with enough of them that no text begins so. */
const MARKS: readonly (readonly [mark: RegExp, type: string])[] = [
  [/^\x89PNG\r\n\x1a\n/, "image/png"],
  [/^\xff\xd8\xff/, "image/jpeg"],
  [/^GIF8[79]a/, "image/gif"],
  [/^RIFF[^]{4}WEBPVP8/, "image/webp"],
  [/^RIFF[^]{4}WAVE/, "audio/wav"],
  [/^%PDF-/, "application/pdf"],
  [/^\0[^]{3}ftyp(?:isom|iso2|mp4|avc1|M4V )/, "video/mp4"],
  [/^\x1aE\xdf\xa3/, "video/webm"],
  [/^OggS\0/, "audio/ogg"],
  [/^ID3[\x02-\x04]/, "audio/mpeg"],
  [/^PK\x03\x04/, "application/zip"],
  [/^\x1f\x8b\x08/, "application/gzip"],
];
/* oxlint-enable no-control-regex */

/** Reads the first 64 bytes. */
export function typeInBytes(bytes: Uint8Array): string | undefined {
  const head = asBuffer(bytes).toString("latin1", 0, HEAD_BYTES);
  return MARKS.find(([mark]) => mark.test(head))?.[1];
}
