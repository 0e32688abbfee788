import { decodeText } from "../../../util/text-encoding.js";
import { openSource, type ByteReader } from "../readers/byte-reader.js";
import { beginRun, type OwnRun } from "../run-status.js";
import { type GrepJob, type GrepReply, type GrepResult, NO_HITS } from "./job.js";
import { createHitList, type HitList } from "./hit-list.js";
import {
  countLineEnds,
  countLineEndsWithin,
  endOfLine,
  LineTooLongError,
  readLineBlocks,
  startOfLine,
} from "../readers/line-blocks.js";
import { createLineMatcher, type LineMatcher } from "./line-matcher.js";
import { createTextTally, type TextTally } from "./text-tally.js";

const NEWLINE = 10;
const RETURN = 13;

/** Lines between two looks at the clock, and characters of them. */
const LINES_PER_LOOK = 256;
const CHARACTERS_PER_LOOK = 65_536;

/** Occurrences in one line between two looks at it. */
const OCCURRENCES_PER_LOOK = 256;

/** Thrown when the time is over. */
const STOP = new Error("stop");

/** Searches a source from its beginning to its end and never throws. */
export function scan(job: GrepJob): GrepReply {
  const own = beginRun(job.softTimeoutMs);
  let matcher: LineMatcher;
  try {
    matcher = createLineMatcher(job);
  } catch (error) {
    return { ok: true, result: refusal(`Invalid pattern: ${message(error)}`) };
  }
  let source: ByteReader;
  try {
    source = openSource(job.source, job.part);
  } catch (error) {
    return { ok: false, message: message(error) };
  }
  try {
    return { ok: true, result: scanSource(job, matcher, source, own) };
  } catch (error) {
    return { ok: false, message: message(error) };
  } finally {
    source.close();
  }
}

/** What a search is made of while it goes on. */
interface Search {
  readonly job: GrepJob;
  readonly matcher: LineMatcher;
  readonly hits: HitList;
  readonly texts: TextTally | undefined;
  /** Throws when the time is over. */
  readonly checkTime: () => void;
}

function scanSource(
  job: GrepJob,
  matcher: LineMatcher,
  source: ByteReader,
  own: OwnRun,
): GrepResult {
  const hits = createHitList(job, matcher);
  const texts = job.onlyMatching && !job.invert ? createTextTally(job) : undefined;
  const checkTime = (): void => {
    if (own.isOver()) throw STOP;
  };
  const isByText = matcher.needle !== undefined && !job.invert && texts === undefined;
  let searchedBytes = 0;
  const result = (): GrepResult => ({ ...hits.result(), texts: texts?.result() });
  const search: Search = { job, matcher, hits, texts, checkTime };
  try {
    for (const block of readLineBlocks(source, job.maxLineBytes)) {
      checkTime();
      if (isByText) scanForText(block, matcher.needle, search);
      else scanLines(decodeText(block, job.encoding), search);
      searchedBytes += block.length;
    }
  } catch (error) {
    if (error === STOP) {
      const isCounting = !isByText || hits.collecting();
      const nextLine = isCounting ? hits.lineNumber() : lineAt(job, searchedBytes);
      return { ...result(), timedOut: true, nextLine };
    }
    if (!(error instanceof LineTooLongError)) throw error;
    const line = lineAt(job, error.offset);
    return {
      ...result(),
      error: `Line ${line} is longer than ${job.maxLineBytes} bytes and cannot be searched; the total counts the lines before it.`,
      nextLine: line + 1,
    };
  }
  return result();
}

/** The number of the line at a place of the source: who only counts hits does not count lines. */
function lineAt(job: GrepJob, offset: number): number {
  const source = openSource(job.source, job.part);
  try {
    return job.firstLineNumber + countLineEnds(source, offset);
  } finally {
    source.close();
  }
}

/** Looks at every line of a block that was decoded at once, which is faster than line by line. */
function scanLines(text: string, search: Search): void {
  const { job, matcher, hits, checkTime } = search;
  let looked = 0;
  let lookedAt = 0;
  let at = 0;
  while (at < text.length) {
    const end = text.indexOf("\n", at);
    const next = end < 0 ? text.length : end + 1;
    let lineEnd = end < 0 ? text.length : end;
    if (lineEnd > at && text.charCodeAt(lineEnd - 1) === RETURN) lineEnd -= 1;
    const line = text.slice(at, lineEnd);
    const isFound = matcher.test(line);
    if (isFound && !job.invert) addFound(line, search);
    else hits.addLine(line, isFound !== job.invert, 0);
    at = next;
    looked += 1;
    if (looked % LINES_PER_LOOK !== 0 && at - lookedAt < CHARACTERS_PER_LOOK) continue;
    lookedAt = at;
    checkTime();
  }
}

/** A line with a hit is one, also when the time ends among its occurrences. */
function addFound(line: string, { matcher, hits, texts, checkTime }: Search): void {
  const lineNumber = hits.lineNumber();
  let occurrences = 0;
  try {
    matcher.each(line, (hit) => {
      occurrences += 1;
      texts?.add(line, lineNumber, hit);
      if (occurrences % OCCURRENCES_PER_LOOK === 0) checkTime();
    });
  } finally {
    hits.addLine(line, true, occurrences);
  }
}

/** Jumps from hit to hit in the bytes; only hits and their context are decoded. */
function scanForText(block: Buffer, needle: Buffer, { job, hits }: Search): void {
  const addLine = (at: number, match: boolean, occurrences: number): number => {
    const { end, next } = endOfLine(block, at);
    hits.addLine(decodeText(block.subarray(at, end), job.encoding), match, occurrences);
    return next;
  };
  let at = 0;
  let found = block.indexOf(needle, at);
  while (at < block.length) {
    const isCollecting = hits.collecting();
    // Nobody asks for line numbers or context any more.
    if (!isCollecting && found < 0) return;
    const hitAt = found;
    let occurrences = 0;
    for (const end = found < 0 ? 0 : endOfLine(block, found).next; found >= 0 && found < end;) {
      occurrences += 1;
      found = block.indexOf(needle, found + needle.length);
    }
    if (!isCollecting) {
      hits.count(occurrences);
      at = endOfLine(block, hitAt).next;
      continue;
    }
    const stop = hitAt < 0 ? block.length : startOfLine(block, hitAt);
    while (at < stop && hits.wantsContext()) at = addLine(at, false, 0);
    at = skipTo(block, at, contextStart(block, at, stop, hits.before), hits);
    while (at < stop) at = addLine(at, false, 0);
    if (hitAt >= 0) at = addLine(at, true, occurrences);
  }
}

/** Start of the line that is `lines` lines before the one at `stop`, not before `from`. */
function contextStart(block: Buffer, from: number, stop: number, lines: number): number {
  let at = stop;
  for (let i = 0; i < lines && at > from; i += 1) at = startOfLine(block, at - 1);
  return Math.max(at, from);
}

/** Leaves lines out and counts them. */
function skipTo(block: Buffer, from: number, to: number, hits: HitList): number {
  // A last line without a line end is a line too; nothing comes after it.
  const unfinished = to > from && block[to - 1] !== NEWLINE ? 1 : 0;
  hits.skip(countLineEndsWithin(block, from, to) + unfinished);
  return to;
}

function refusal(error: string): GrepResult {
  return { ...NO_HITS, error };
}

function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
