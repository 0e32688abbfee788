import { charactersIn } from "../../../util/text-encoding.js";
import { wholeCharactersEnd } from "../../../util/safe-text.js";
import type { GrepLine } from "./job.js";
import type { Hit } from "./line-matcher.js";

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
): Pick<GrepLine, "text" | "cut"> {
  if (line.length <= maxCharacters) return { text: detached(line) };
  const hitStart = hit?.start ?? 0;
  const hitLength = Math.min(maxCharacters, (hit?.end ?? 0) - hitStart);
  const lead = Math.floor((maxCharacters - hitLength) * SHARE_BEFORE_HIT);
  const start = Math.max(0, Math.min(hitStart - lead, line.length - maxCharacters));
  const isWhole = wholeCharactersEnd(line, start) === start;
  const end = wholeCharactersEnd(line, start + maxCharacters);
  return {
    text: detached(line.slice(isWhole ? start : start + 1, end)),
    cut: {
      isAtHit: hit !== undefined,
      character: charactersIn(line.slice(0, hitStart)),
      lineLength: charactersIn(line),
    },
  };
}

export function detached(text: string): string {
  return Buffer.from(text, "utf16le").toString("utf16le");
}
