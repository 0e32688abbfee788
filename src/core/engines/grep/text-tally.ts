import { shorten } from "../../../util/safe-text.js";
import type { FoundText, FoundTexts, GrepJob } from "./job.js";
import { detached } from "./line-excerpt.js";

/** Different texts that are told apart; further ones are only counted as occurrences. */
const MAX_TEXTS = 20_000;
/** Of all of them together, in UTF-16 code units. */
const MAX_CHARACTERS = 4_000_000;
const OVERHEAD_BYTES = 32;

export interface TextTally {
  add(text: string, lineNumber: number): void;
  result(): FoundTexts;
}

export function createTextTally(job: GrepJob): TextTally {
  const texts = new Map<string, { text: string; lineNumber: number; count: number }>();
  let characters = 0;
  let isFull = false;

  return {
    add(text, lineNumber) {
      const known = texts.get(text);
      if (known !== undefined) {
        known.count += 1;
        return;
      }
      characters += text.length;
      isFull ||= texts.size === MAX_TEXTS || characters > MAX_CHARACTERS;
      if (isFull) return;
      const key = detached(text);
      texts.set(key, { text: key, lineNumber, count: 1 });
    },
    result() {
      const sorted = [...texts.values()].toSorted((one, other) => other.count - one.count);
      const { skip, maxResults } = job;
      const listed: FoundText[] = [];
      let bytes = 0;
      for (const found of sorted.slice(skip, skip + Math.min(maxResults, sorted.length))) {
        const text = shorten(found.text, job.maxLineCharacters);
        bytes += Buffer.byteLength(text) + OVERHEAD_BYTES;
        if (bytes > job.maxOutputBytes) break;
        listed.push({ ...found, text });
      }
      return { listed, total: sorted.length, isAtLeast: isFull };
    },
  };
}
