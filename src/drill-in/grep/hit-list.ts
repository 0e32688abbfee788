import type { GrepJob, GrepLine, GrepResult } from "./job.js";
import { excerptLine } from "./line-excerpt.js";
import type { LineMatcher } from "./line-matcher.js";

/** Counts hits and keeps the first of them with their context. */
export interface HitList {
  /** Takes the next line. */
  addLine(line: string, match: boolean): void;
  /** Passes over lines without hits that are no context. */
  skip(lines: number): void;
  /** Takes hits that are only counted. */
  count(hits: number): void;
  /** Whether lines are still kept; when not, line numbers do not matter any more. */
  collecting(): boolean;
  /** Whether the next line is context of the last hit. */
  wantsContext(): boolean;
  /** Lines of context before a hit. */
  readonly before: number;
  /** Number of the next line. */
  lineNumber(): number;
  result(): GrepResult;
}

/** Bytes that a kept line costs beside its text: its number and its line end. */
const LINE_OVERHEAD_BYTES = 12;

/** Creates a list that is full after `maxResults` hits or `maxOutputBytes`. */
export function createHitList(job: GrepJob, matcher: LineMatcher): HitList {
  const lines: GrepLine[] = [];
  let recent: GrepLine[] = [];
  let next = job.firstLineNumber;
  let totalMatches = 0;
  let skipped = 0;
  let kept = 0;
  let usedBytes = 0;
  let contextLeft = 0;
  let full = job.maxResults === 0;

  /** Whether the line fitted. */
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
    for (const context of recent) if (!keep(context)) return;
    recent = [];
    if (!keep(line)) return;
    kept += 1;
    contextLeft = job.after;
    full = kept === job.maxResults;
  }

  /** A list that goes on has the context behind the last hit of the one before, which may have been cut there. */
  function passOver(): void {
    skipped += 1;
    recent = [];
    contextLeft = skipped === job.skip ? job.after : 0;
  }

  function describe(line: string, match: boolean): GrepLine {
    const hit = match && !job.invert ? matcher.locate(line) : undefined;
    return { lineNumber: next, match, ...excerptLine(line, hit, job.maxLineCharacters) };
  }

  return {
    before: job.before,
    addLine(line, match) {
      if (match) {
        totalMatches += 1;
        // A hit beyond the limit must not appear as another hit's context.
        if (full) contextLeft = 0;
        else if (skipped < job.skip) passOver();
        else keepHit(describe(line, true));
      } else if (contextLeft > 0) {
        contextLeft -= 1;
        keep(describe(line, false));
      } else if (!full && job.before > 0) {
        if (recent.length === job.before) recent.shift();
        recent.push(describe(line, false));
      }
      next += 1;
    },
    skip(count) {
      // What is skipped lies between the last lines and the next hit's context.
      if (count > 0) recent = [];
      next += count;
    },
    count(hits) {
      totalMatches += hits;
    },
    collecting: () => !full || contextLeft > 0,
    wantsContext: () => contextLeft > 0,
    lineNumber: () => next,
    result: () => ({
      lines,
      totalMatches,
      truncated: job.maxResults > 0 && skipped + kept < totalMatches,
      timedOut: false,
      error: undefined,
    }),
  };
}
