import { decodeText } from "../content/text-encoding.js";
import type { Content } from "../types.js";
import { wholeCharactersEnd } from "./safe-text.js";

const REPLACEMENT = "\ufffd";

/**
 * The head of a text, at most `maxCharacters` UTF-16 units, cut at a line end when one is in its second
 * half. Splits no character. Reads no more of the body than it needs.
 */
export function previewOf(content: Content, maxCharacters: number): string {
  if (content.kind === "binary") return "";
  const maxBytes = 3 * maxCharacters + 4;
  const bytes = content.body.subarray(0, maxBytes);
  let text =
    content.encoding === "latin1"
      ? decodeText(bytes, content.encoding)
      : new TextDecoder("utf-8").decode(bytes);
  if (bytes.length < content.body.length) {
    // The last bytes may be the beginning of a character.
    while (text.endsWith(REPLACEMENT)) text = text.slice(0, -1);
  }
  if (text.length <= maxCharacters) return text;
  const head = text.slice(0, wholeCharactersEnd(text, maxCharacters));
  const lineEnd = head.lastIndexOf("\n");
  return 2 * lineEnd >= head.length ? head.slice(0, lineEnd) : head;
}
