import { isUtf8 } from "node:buffer";

import type { StoredMedia } from "../../types/media.js";
import { shorten } from "../../../util/safe-text.js";
import { pixelsOf } from "./image-pixels.js";
import { isSameType, isTextType, mediaKindOf, typeInBytes, UNKNOWN_TYPE } from "./media-type.js";
import { pdfFacts } from "./pdf-pages.js";
import { secondsOf } from "./sound-seconds.js";

/** What was said of bytes. */
export interface SaidOfMedia {
  readonly declaredType: string | undefined;
  readonly name: string | undefined;
}

const MAX_NAME_CHARACTERS = 200;

/**
 * What bytes are, by their headers; the bytes are hostile, and nothing of them is unpacked. Where they say another type than what
 * was declared, theirs holds, and both are told. A text is one where its type says so and its bytes are UTF-8.
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
  const seconds = kind === "audio" ? secondsOf(bytes, found ?? type) : undefined;
  const { pages, locked } = found === "application/pdf" ? pdfFacts(bytes) : NO_PDF;
  return {
    kind,
    type,
    ...(!isSame && { declaredType }),
    ...(name !== undefined && { name: shorten(onOneLine(name), MAX_NAME_CHARACTERS) }),
    ...pixels,
    ...(seconds !== undefined && { seconds }),
    ...(pages !== undefined && { pages }),
    ...(locked && { locked: true as const }),
    isText: found === undefined && isTextType(type) && isUtf8(bytes),
  };
}

const NO_PDF = { pages: undefined, locked: false };

function onOneLine(name: string): string {
  return name
    .slice(0, 4 * MAX_NAME_CHARACTERS)
    .replaceAll(/\s+/g, " ")
    .trim();
}
