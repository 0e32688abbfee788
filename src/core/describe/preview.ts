import type { StoredArtifact } from "../types/artifact.js";
import { decodeText, unfinishedBytes } from "../../util/text-encoding.js";
import type { Content } from "../types/content.js";
import { wholeCharactersEnd } from "../../util/safe-text.js";

/** The beginning of a text and, when that is not all of it and the end is in reach, its end. */
export interface Preview {
  readonly preview?: string;
  readonly preview_end?: string;
}

/** The end's part of an excerpt. */
const END_SHARE = 0.4;
/** A shorter end says nothing. */
const MIN_END_CHARACTERS = 60;
/** Bytes of a character, at most. */
const CHARACTER_BYTES = 3;

/**
 * The head and the tail of a text, at most `maxCharacters` UTF-16 units together, cut at line ends where one is near.
 * Splits no character. Reads no more of the body than it needs.
 */
export function previewOf(
  content: Content,
  { sizeBytes, headerBytes }: Pick<StoredArtifact, "sizeBytes" | "headerBytes">,
  maxCharacters: number,
): Preview {
  if (content.kind === "binary") return {};
  const whole = headOf(content, maxCharacters);
  const isInReach = content.body.length >= sizeBytes - headerBytes;
  const endCharacters = Math.floor(maxCharacters * END_SHARE);
  const isAll = isInReach && whole.all;
  if (isAll || !isInReach || endCharacters < MIN_END_CHARACTERS) return { preview: whole.text };
  const { text: preview } = headOf(content, maxCharacters - endCharacters);
  return { preview, preview_end: tailOf(content, endCharacters) };
}

function headOf(
  { body }: Pick<Content, "body">,
  maxCharacters: number,
): { readonly text: string; readonly all: boolean } {
  const bytes = body.subarray(0, CHARACTER_BYTES * maxCharacters + 4);
  const isCut = bytes.length < body.length;
  const cutBytes = isCut ? unfinishedBytes(bytes) : 0;
  const text = decodeText(bytes.subarray(0, bytes.length - cutBytes));
  if (text.length <= maxCharacters) return { text, all: !isCut };
  const head = text.slice(0, wholeCharactersEnd(text, maxCharacters));
  const lineEnd = head.lastIndexOf("\n");
  return { text: 2 * lineEnd >= head.length ? head.slice(0, lineEnd) : head, all: false };
}

function tailOf({ body }: Content, maxCharacters: number): string {
  const from = Math.max(0, body.length - CHARACTER_BYTES * maxCharacters);
  const bytes = body.subarray(from);
  const text = decodeText(bytes.subarray(begunBytes(bytes))).trimEnd();
  const start = Math.max(0, text.length - maxCharacters);
  const end = wholeCharactersEnd(text, start);
  const tail = text.slice(end < start ? start + 1 : start);
  const lineEnd = tail.indexOf("\n");
  return lineEnd !== -1 && 2 * lineEnd < tail.length ? tail.slice(lineEnd + 1) : tail;
}

/** Bytes at the beginning that end a character which began before. */
function begunBytes(bytes: Uint8Array): number {
  let count = 0;
  while (count < 3 && ((bytes[count] ?? 0) & 0xc0) === 0x80) count += 1;
  return count;
}
