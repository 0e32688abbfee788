import type { StoredMedia } from "../../types/media.js";

/** Pixels that a token of an image stands for, the longest edge that is not made smaller, and the most tokens. @source Anthropic, Vision: `width * height / 750`, 1,568 pixels, about 1,600 tokens */
const PIXELS_PER_TOKEN = 750;
const MAX_EDGE = 1_568;
const MAX_IMAGE_TOKENS = 1_600;
/** @source Anthropic, PDF support: 1,500 to 3,000 tokens of text a page. */
const TOKENS_PER_PAGE = 1_500;
/** @source OpenAI, Audio: one token for 100 ms of a user's sound. */
const TOKENS_PER_SECOND = 10;

/** What media would cost in a context, about, where a header says how large they are; 0 where nobody knows. */
export function mediaTokens({ width, height, pages, seconds }: StoredMedia): number {
  if (width !== undefined && height !== undefined) {
    const scale = Math.min(1, MAX_EDGE / Math.max(width, height));
    const tokens = Math.ceil((width * scale * height * scale) / PIXELS_PER_TOKEN);
    return Math.min(MAX_IMAGE_TOKENS, Math.max(1, tokens));
  }
  if (pages !== undefined) return pages * TOKENS_PER_PAGE;
  return seconds === undefined ? 0 : Math.ceil(seconds * TOKENS_PER_SECOND);
}
