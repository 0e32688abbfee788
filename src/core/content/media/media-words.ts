import { mediaTokens } from "./media-tokens.js";
import type { StoredMedia } from "../../types/media.js";
import { grouped } from "../../../util/amounts.js";

/**
 * What media are, in words: `image/png, 1,920 x 1,080 pixels, 812,345 bytes, about 1,568 tokens`. What is not known is not
 * said, but for the pages of a PDF, which many do not tell.
 */
export function mediaWords(media: StoredMedia, sizeBytes: number): string {
  const { type, declaredType, width, height, seconds, pages, kind, locked } = media;
  const tokens = mediaTokens(media);
  const parts = [
    declaredType === undefined ? type : `${type} (the tool said ${declaredType})`,
    ...(width !== undefined && height !== undefined
      ? [`${grouped(width)} x ${grouped(height)} pixels`]
      : []),
    ...(seconds === undefined ? [] : [`${grouped(Math.floor(seconds))}${tenth(seconds)} seconds`]),
    ...(pages === undefined ? [] : [`${grouped(pages)} page${pages === 1 ? "" : "s"}`]),
    ...(pages === undefined && kind === "pdf" ? ["number of pages not known"] : []),
    ...(locked ? ["asks for a password"] : []),
    `${grouped(sizeBytes)} bytes`,
    ...(tokens > 0 ? [`about ${grouped(tokens)} tokens`] : []),
  ];
  return parts.join(", ");
}

function tenth(seconds: number): string {
  const tenths = Math.round((seconds % 1) * 10);
  return tenths === 0 ? "" : `.${tenths % 10}`;
}
