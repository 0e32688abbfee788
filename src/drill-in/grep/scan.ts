import { decodeText } from "../../util/text-encoding.js";
import type { TextEncodingName } from "../../types/content.js";
import { openSource, type ByteReader } from "../engine/readers/byte-reader.js";
import type { StoppedTime } from "../engine/run-clock.js";
import { beginRun, type OwnRun } from "../engine/run-status.js";
import type { GrepJob, GrepReply, GrepResult } from "./job.js";
import { createHitList, type HitList } from "./hit-list.js";
import {
  countLineEnds as countLines,
  LineTooLongError,
  readLineBlocks,
} from "../engine/readers/line-blocks.js";
import { createLineMatcher, type LineMatcher } from "./line-matcher.js";

const NEWLINE = 10;
const RETURN = 13;

/** Lines between two looks at the clock. */
const LINES_PER_LOOK = 256;

/** Lines after which their mean length decides how line ends are counted. */
const SAMPLED_LINES = 32;
const SHORT_LINE_BYTES = 64;

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
    source = own.counting(openSource(job.source));
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

function scanSource(
  job: GrepJob,
  matcher: LineMatcher,
  source: ByteReader,
  own: OwnRun,
): GrepResult {
  const hits = createHitList(job, matcher);
  let time: StoppedTime | undefined;
  const checkTime = (): void => {
    time = own.passed();
    if (time !== undefined) throw STOP;
  };
  try {
    for (const block of readLineBlocks(source, job.maxLineBytes)) {
      checkTime();
      if (matcher.needle !== undefined && !job.invert) {
        scanForText(block, job.encoding, matcher.needle, hits);
      } else scanLines(decodeText(block, job.encoding), matcher, hits, job.invert, checkTime);
    }
  } catch (error) {
    if (error === STOP) return { ...hits.result(), timedOut: true, time };
    if (!(error instanceof LineTooLongError)) throw error;
    const line = job.firstLineNumber + linesBefore(job, error.offset);
    return {
      ...hits.result(),
      error: `Line ${line} is longer than ${job.maxLineBytes} bytes and cannot be searched; the total counts the lines before it.`,
    };
  }
  return hits.result();
}

/** Who only counts hits does not count lines; for the error they are counted once more. */
function linesBefore(job: GrepJob, offset: number): number {
  const source = openSource(job.source);
  try {
    return countLines(source, offset);
  } finally {
    source.close();
  }
}

/** Looks at every line of a block that was decoded at once, which is faster than line by line. */
function scanLines(
  text: string,
  matcher: LineMatcher,
  hits: HitList,
  invert: boolean,
  checkTime: () => void,
): void {
  let looked = 0;
  let at = 0;
  while (at < text.length) {
    const end = text.indexOf("\n", at);
    const next = end < 0 ? text.length : end + 1;
    let lineEnd = end < 0 ? text.length : end;
    if (lineEnd > at && text.charCodeAt(lineEnd - 1) === RETURN) lineEnd -= 1;
    const line = text.slice(at, lineEnd);
    hits.addLine(line, matcher.test(line) !== invert);
    at = next;
    looked += 1;
    if (looked % LINES_PER_LOOK === 0) checkTime();
  }
}

/** Jumps from hit to hit in the bytes; only hits and their context are decoded. */
function scanForText(
  block: Buffer,
  encoding: TextEncodingName,
  needle: Buffer,
  hits: HitList,
): void {
  const addLine = (at: number, match: boolean): number => {
    const { end, next } = endOfLine(block, at);
    hits.addLine(decodeText(block.subarray(at, end), encoding), match);
    return next;
  };
  let at = 0;
  while (at < block.length) {
    const found = block.indexOf(needle, at);
    if (!hits.collecting()) {
      // Nobody asks for line numbers or context any more.
      if (found < 0) return;
      hits.count(1);
      at = endOfLine(block, found).next;
      continue;
    }
    const stop = found < 0 ? block.length : startOfLine(block, found);
    while (at < stop && hits.wantsContext()) at = addLine(at, false);
    at = skipTo(block, at, contextStart(block, at, stop, hits.before), hits);
    while (at < stop) at = addLine(at, false);
    if (found >= 0) at = addLine(at, true);
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
  hits.skip(countLineEnds(block, from, to) + unfinished);
  return to;
}

/** Searching for the next line end is fastest when lines are long, looking at each byte when not. */
function countLineEnds(block: Buffer, from: number, to: number): number {
  let count = 0;
  let at = from;
  while (at < to && (count < SAMPLED_LINES || at - from > count * SHORT_LINE_BYTES)) {
    const found = block.indexOf(NEWLINE, at);
    if (found < 0 || found >= to) return count;
    count += 1;
    at = found + 1;
  }
  for (; at < to; at += 1) if (block[at] === NEWLINE) count += 1;
  return count;
}

function startOfLine(block: Buffer, at: number): number {
  return at === 0 ? 0 : block.lastIndexOf(NEWLINE, at - 1) + 1;
}

/** `end` is before the line end, `next` after it. */
function endOfLine(block: Buffer, at: number): { readonly end: number; readonly next: number } {
  const found = block.indexOf(NEWLINE, at);
  if (found < 0) {
    const end =
      block.length > at && block[block.length - 1] === RETURN ? block.length - 1 : block.length;
    return { end, next: block.length };
  }
  return { end: found > at && block[found - 1] === RETURN ? found - 1 : found, next: found + 1 };
}

function refusal(error: string): GrepResult {
  return { lines: [], totalMatches: 0, truncated: false, timedOut: false, error };
}

function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
