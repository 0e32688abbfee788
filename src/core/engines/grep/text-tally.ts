import { charactersIn } from "../../../util/text-encoding.js";
import { shorten } from "../../../util/safe-text.js";
import type { FoundText, FoundTexts, GrepJob } from "./job.js";
import { detached } from "./line-excerpt.js";
import type { Hit } from "./line-matcher.js";

/** Different texts that are told apart; further ones are only counted as occurrences. */
const MAX_TEXTS = 20_000;
/** Of all of them together, in UTF-16 code units. */
const MAX_CHARACTERS = 4_000_000;
/** What a listed text costs beside itself: its place and its count. */
const OVERHEAD_BYTES = 32;

/** Groups the texts that a pattern takes. */
export interface TextTally {
  /** Takes the next text; those of one line come in their order. */
  add(line: string, lineNumber: number, hit: Hit): void;
  result(): FoundTexts;
}

interface Counted {
  readonly text: string;
  readonly lineNumber: number;
  readonly character: number;
  count: number;
}

/** Creates a tally that holds a bounded number of different texts. */
export function createTextTally(job: GrepJob): TextTally {
  const texts = new Map<string, Counted>();
  let characters = 0;
  let isFull = false;
  let place = { lineNumber: 0, at: 0, character: 0 };

  /** Characters before a place of a line, counted from the place that was asked for before. */
  function charactersBefore(line: string, lineNumber: number, at: number): number {
    const from = place.lineNumber === lineNumber ? place : { at: 0, character: 0 };
    const character = from.character + charactersIn(line.slice(from.at, at));
    place = { lineNumber, at, character };
    return character;
  }

  return {
    add(line, lineNumber, { start, end }) {
      const text = line.slice(start, end);
      const known = texts.get(text);
      if (known !== undefined) {
        known.count += 1;
        return;
      }
      characters += text.length;
      isFull ||= texts.size === MAX_TEXTS || characters > MAX_CHARACTERS;
      if (isFull) return;
      const key = detached(text);
      const character = charactersBefore(line, lineNumber, start);
      texts.set(key, { text: key, lineNumber, character, count: 1 });
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
