import { type GrepJob, type GrepLine, type GrepResult, NO_HITS } from "./job.js";
import { excerptLine } from "./line-excerpt.js";
import type { Hit } from "./line-matcher.js";

export interface HitList {
  addLine(line: string, found?: FoundInLine): void;
  skip(lines: number): void;
  count(occurrences: number): void;
  wants(hasHit: boolean): boolean;
  lineNumber(): number;
  result(): GrepResult;
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
  // Where texts are listed, lines are not.
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
    // What follows a hit that was passed over is kept before it is known whether that hit stands before another.
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
        // A hit beyond the limit must not appear as another hit's context.
        if (full) contextLeft = 0;
        else if (skipped < job.skip) {
          skipped += 1;
          // A list that goes on has the context behind the last hit of the one before, which may have been cut there.
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
