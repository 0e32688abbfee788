import { decodeText, unfinishedBytes } from "../util/text-encoding.js";
import type { Content } from "../types/content.js";
import { wholeCharactersEnd } from "../util/safe-text.js";

/**
 * The head of a text, at most `maxCharacters` UTF-16 units, cut at a line end when one is in its second
 * half. Splits no character. Reads no more of the body than it needs.
 */
export function previewOf(content: Content, maxCharacters: number): string {
  if (content.kind === "binary") return "";
  const bytes = content.body.subarray(0, 3 * maxCharacters + 4);
  const isCut = bytes.length < content.body.length;
  const cutBytes = isCut ? unfinishedBytes(bytes, content.encoding) : 0;
  const text = decodeText(bytes.subarray(0, bytes.length - cutBytes), content.encoding);
  if (text.length <= maxCharacters) return text;
  const head = text.slice(0, wholeCharactersEnd(text, maxCharacters));
  const lineEnd = head.lastIndexOf("\n");
  return 2 * lineEnd >= head.length ? head.slice(0, lineEnd) : head;
}
