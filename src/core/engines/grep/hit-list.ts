import { shorten, wholeCharactersEnd } from "../../../util/safe-text.js";
import { charactersIn } from "../../../util/text-encoding.js";
import {
  type FoundText,
  type FoundTexts,
  type GrepJob,
  type GrepLine,
  type GrepResult,
  NO_HITS,
} from "./job.js";

export interface HitList {
  addLine(line: string, found?: FoundInLine): void;
  skip(lines: number): void;
  count(occurrences: number): void;
  wants(hasHit: boolean): boolean;
  lineNumber(): number;
  result(): GrepResult;
}

/** In UTF-16 code units; `end` is exclusive. */
export interface Hit {
  readonly start: number;
  readonly end: number;
}

interface FoundInLine {
  readonly occurrences: number;
  readonly first?: Hit | undefined;
}

const LINE_OVERHEAD_BYTES = 12;

export function createHitList(job: GrepJob): HitList {
  const lines: GrepLine[] = [];
  let recent: GrepLine[] = [];
  let next = job.firstLineNumber;
  let totalMatches = 0;
  let totalOccurrences = 0;
  let skipped = 0;
  let kept = 0;
  let usedBytes = 0;
  let contextLeft = 0;
  let full = job.maxResults === 0 || job.onlyMatching;

  function keep(line: GrepLine): boolean {
    usedBytes += Buffer.byteLength(line.text) + LINE_OVERHEAD_BYTES;
    if (usedBytes > job.maxOutputBytes) {
      full = true;
      contextLeft = 0;
      return false;
    }
    lines.push(line);
    return true;
  }

  function keepHit(line: GrepLine): void {
    const from = line.lineNumber - job.before;
    const isWhole = recent.every((context) => context.lineNumber < from || keep(context));
    // Context after a skipped hit was kept before this hit.
    if (kept === 0) lines.sort((one, other) => one.lineNumber - other.lineNumber);
    recent = [];
    if (!isWhole || !keep(line)) return;
    kept += 1;
    contextLeft = job.after;
    full = kept === job.maxResults;
  }

  function remember(line: GrepLine): void {
    if (recent.length === job.before) recent.shift();
    recent.push(line);
  }

  return {
    addLine(line, found) {
      const shown = (match: boolean): GrepLine => ({
        lineNumber: next,
        match,
        ...excerptLine(line, found?.first, job.maxLineCharacters),
      });
      if (found !== undefined) {
        this.count(found.occurrences);
        // A hit beyond the limit must not appear as context.
        if (full) contextLeft = 0;
        else if (skipped < job.skip) {
          skipped += 1;
          // A continued list repeats that context, which may have been cut.
          contextLeft = skipped === job.skip ? job.after : 0;
          if (job.before > 0) remember(shown(false));
        } else keepHit(shown(true));
      } else if (contextLeft > 0) {
        contextLeft -= 1;
        keep(shown(false));
      } else if (!full && job.before > 0) remember(shown(false));
      next += 1;
    },
    skip(count) {
      next += count;
    },
    count(occurrences) {
      totalMatches += 1;
      totalOccurrences += occurrences;
    },
    wants: (hasHit) => contextLeft > 0 || (!full && (hasHit || job.before > 0)),
    lineNumber: () => next,
    result: () => ({ ...NO_HITS, lines, totalMatches, totalOccurrences }),
  };
}

const MAX_TEXTS = 20_000;
/** In UTF-16 code units, over all texts. */
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

const SHARE_BEFORE_HIT = 0.25;

/** Cuts to `maxCharacters` UTF-16 code units around the hit, without splitting surrogate pairs. */
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

function detached(text: string): string {
  return Buffer.from(text, "utf16le").toString("utf16le");
}
