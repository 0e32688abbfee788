import type { StoredArtifact } from "../types/artifact.js";
import { decodeText, unfinishedBytes } from "../../util/text-encoding.js";
import type { Content } from "../types/content.js";
import { headOf, tailOf } from "./head-and-tail.js";

export interface Preview {
  readonly preview?: string;
  readonly preview_end?: string;
}

const END_SHARE = 0.4;
const MIN_END_CHARACTERS = 60;
const UNIT_BYTES = 3;

/**
 * The head and the tail of a text, at most `maxCharacters` UTF-16 units together, cut at line ends where one is near.
 * Splits no character. Reads no more of the body than it needs.
 */
export function previewOf(
  { kind, body }: Content,
  { sizeBytes, headerBytes }: Pick<StoredArtifact, "sizeBytes" | "headerBytes">,
  maxCharacters: number,
): Preview {
  if (kind === "binary") return {};
  const isInReach = body.length >= sizeBytes - headerBytes;
  const bytes = body.subarray(0, UNIT_BYTES * maxCharacters + 4);
  const cutBytes = bytes.length < body.length ? unfinishedBytes(bytes) : 0;
  const text = decodeText(bytes.subarray(0, bytes.length - cutBytes));
  const isAll = isInReach && bytes.length === body.length && text.length <= maxCharacters;
  const endCharacters = Math.floor(maxCharacters * END_SHARE);
  if (isAll || !isInReach || endCharacters < MIN_END_CHARACTERS)
    return { preview: toLineEnd(text, maxCharacters) };
  const end = body.subarray(Math.max(0, body.length - UNIT_BYTES * endCharacters));
  return {
    preview: toLineEnd(text, maxCharacters - endCharacters),
    preview_end: fromLineStart(decodeText(end.subarray(begunBytes(end))).trimEnd(), endCharacters),
  };
}

function toLineEnd(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const head = headOf(text, maxCharacters);
  const lineEnd = head.lastIndexOf("\n");
  return 2 * lineEnd >= head.length ? head.slice(0, lineEnd) : head;
}

function fromLineStart(text: string, maxCharacters: number): string {
  const tail = tailOf(text, Math.min(maxCharacters, text.length));
  const lineEnd = tail.indexOf("\n");
  return lineEnd !== -1 && 2 * lineEnd < tail.length ? tail.slice(lineEnd + 1) : tail;
}

function begunBytes(bytes: Uint8Array): number {
  let count = 0;
  while (count < 3 && ((bytes[count] ?? 0) & 0xc0) === 0x80) count += 1;
  return count;
}
