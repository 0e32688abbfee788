import { charactersIn } from "../../../util/text-encoding.js";
import type { Hit } from "./line-matcher.js";

/** A part of a line; the two numbers are present when something is left out. */
export interface LineExcerpt {
  readonly text: string;
  readonly character?: number;
  readonly lineLength?: number;
}

/** Share of the shown part that stands before a hit. */
const SHARE_BEFORE_HIT = 0.25;

/**
 * Cuts a line to at most `maxCharacters` UTF-16 code units around a hit, or to its beginning without one. Never cuts
 * a surrogate pair in two: the part gets shorter instead.
 */
export function excerptLine(
  line: string,
  hit: Hit | undefined,
  maxCharacters: number,
): LineExcerpt {
  if (line.length <= maxCharacters) return { text: detached(line) };
  const hitStart = hit?.start ?? 0;
  const hitLength = Math.min(maxCharacters, (hit?.end ?? 0) - hitStart);
  const lead = Math.floor((maxCharacters - hitLength) * SHARE_BEFORE_HIT);
  let start = Math.max(0, Math.min(hitStart - lead, line.length - maxCharacters));
  let end = start + maxCharacters;
  if (splitsPair(line, start)) start += 1;
  if (splitsPair(line, end)) end -= 1;
  return {
    text: detached(line.slice(start, end)),
    character: charactersIn(line.slice(0, hitStart)),
    lineLength: charactersIn(line),
  };
}

function splitsPair(line: string, at: number): boolean {
  const before = line.charCodeAt(at - 1);
  const after = line.charCodeAt(at);
  return before >= 0xd800 && before < 0xdc00 && after >= 0xdc00 && after < 0xe000;
}

/** A slice keeps the whole block in memory that it was cut from; a copy does not. */
export function detached(text: string): string {
  return Buffer.from(text, "utf16le").toString("utf16le");
}
