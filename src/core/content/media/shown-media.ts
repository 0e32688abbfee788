import type { StoredMedia } from "../../types/media.js";
import { counted, grouped } from "../../../util/amounts.js";
import { fieldOf } from "../../../util/field-of.js";

/** `image/png, 1,920 x 1,080 pixels, 812,345 bytes, about 1,568 tokens` */
export function mediaWords(media: StoredMedia, sizeBytes: number): string {
  const { type, declaredType, width, height, pages, locked } = media;
  const tokens = mediaTokens(media);
  const parts = [
    declaredType === undefined ? type : `${type} (the tool said ${declaredType})`,
    width !== undefined && height !== undefined && `${grouped(width)} x ${grouped(height)} pixels`,
    pages !== undefined && counted(pages, "page"),
    locked && "encrypted",
    counted(sizeBytes, "byte"),
    tokens > 0 && `about ${grouped(tokens)} tokens`,
  ];
  return parts.filter(Boolean).join(", ");
}

/** @source Anthropic, Vision: `width * height / 750`, 1,568 pixels, about 1,600 tokens */
const PIXELS_PER_TOKEN = 750;
const SCALED_EDGE = 1_568;
const MAX_IMAGE_TOKENS = 1_600;
/** @source Anthropic, PDF support: 1,500 to 3,000 tokens of text a page. */
const TOKENS_PER_PAGE = 1_500;

export function mediaTokens({ width, height, pages }: StoredMedia): number {
  if (width !== undefined && height !== undefined) {
    const scale = Math.min(1, SCALED_EDGE / Math.max(width, height));
    const tokens = Math.ceil((width * scale * height * scale) / PIXELS_PER_TOKEN);
    return Math.min(MAX_IMAGE_TOKENS, Math.max(1, tokens));
  }
  return pages === undefined ? 0 : pages * TOKENS_PER_PAGE;
}

export const SHOWN_METADATA = "langchain-offload-shown";

/** `undefined` if the message shows no file, or no longer does. */
export function shownTokens({
  content,
  response_metadata,
}: {
  readonly content: unknown;
  readonly response_metadata?: unknown;
}): number | undefined {
  const tokens = fieldOf(fieldOf(response_metadata, SHOWN_METADATA), "tokens");
  const isThere =
    Array.isArray(content) && content.some((block: unknown) => fieldOf(block, "type") !== "text");
  return isThere && typeof tokens === "number" ? tokens : undefined;
}
