import { RE2JS } from "re2js";

import { decodeText } from "../../../util/text-encoding.js";
import {
  type ByteReader,
  countLines,
  LineTooLongError,
  openSource,
  readLineBlocks,
} from "../readers/byte-reader.js";
import { beginRun, type OwnRun } from "../run-status.js";
import {
  createHitList,
  type Hit,
  createTextTally,
  type HitList,
  type TextTally,
} from "./hit-list.js";
import { type GrepJob, type GrepQuery, type GrepResult, NO_HITS } from "./job.js";

const RETURN = 13;

const CHARACTERS_PER_LOOK = 4096;
const OCCURRENCES_PER_LOOK = 256;

const STOP = new Error("stop");

/** Never throws. */
export function scan(job: GrepJob): GrepResult {
  const own = beginRun(job.softTimeoutMs);
  let source: ByteReader | undefined;
  try {
    const matcher = matcherOf(job);
    if (typeof matcher === "string") return { ...NO_HITS, error: matcher };
    source = openSource(job.source, job.part);
    return scanSource(job, matcher, source, own);
  } catch (error) {
    return { ...NO_HITS, unreadable: messageOf(error) };
  } finally {
    source?.close();
  }
}

function matcherOf(job: GrepJob): LineMatcher | string {
  try {
    return createLineMatcher(job);
  } catch (error) {
    return `Invalid pattern: ${messageOf(error)}`;
  }
}

interface Search {
  readonly job: GrepJob;
  readonly matcher: LineMatcher;
  readonly hits: HitList;
  readonly texts: TextTally | undefined;
  readonly checkTime: () => void;
}

function scanSource(
  job: GrepJob,
  matcher: LineMatcher,
  source: ByteReader,
  own: OwnRun,
): GrepResult {
  const hits = createHitList(job);
  const texts = job.onlyMatching && !job.invert ? createTextTally(job) : undefined;
  const checkTime = (): void => {
    if (own.isOver()) throw STOP;
  };
  const needle = job.invert || texts !== undefined ? undefined : matcher.needle;
  const result = (): GrepResult => ({ ...hits.result(), texts: texts?.result() });
  const search: Search = { job, matcher, hits, texts, checkTime };
  try {
    for (const block of readLineBlocks(source, job.maxLineBytes)) {
      checkTime();
      // Only lines that may be listed are decoded.
      if (needle === undefined || hits.wants(block.includes(needle)))
        scanLines(decodeText(block), search);
      else countHits(block, needle, hits);
    }
  } catch (error) {
    const nextLine = hits.lineNumber();
    if (error === STOP) return { ...result(), timedOut: true, nextLine };
    if (!(error instanceof LineTooLongError)) throw error;
    return {
      ...result(),
      error: `Line ${nextLine} is longer than ${job.maxLineBytes} bytes and cannot be searched; the total counts the lines before it.`,
      nextLine: nextLine + 1,
    };
  }
  return result();
}

function countHits(block: Buffer, needle: Buffer, hits: HitList): void {
  for (let at = block.indexOf(needle); at >= 0;) {
    const lineEnd = block.indexOf("\n", at);
    let occurrences = 0;
    for (const end = lineEnd < 0 ? block.length : lineEnd; at >= 0 && at < end; occurrences += 1)
      at = block.indexOf(needle, at + needle.length);
    hits.count(occurrences);
  }
  hits.skip(countLines(block));
}

function scanLines(text: string, search: Search): void {
  const { job, matcher, hits, checkTime } = search;
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
    else hits.addLine(line, isFound === job.invert ? undefined : { occurrences: 0 });
    at = next;
    if (at - lookedAt < CHARACTERS_PER_LOOK) continue;
    lookedAt = at;
    checkTime();
  }
}

function addFound(line: string, { matcher, hits, texts, checkTime }: Search): void {
  const lineNumber = hits.lineNumber();
  let occurrences = 0;
  let first: Hit | undefined;
  try {
    matcher.each(line, (hit) => {
      first ??= hit;
      occurrences += 1;
      texts?.add(line.slice(hit.start, hit.end), lineNumber);
      if (occurrences % OCCURRENCES_PER_LOOK === 0) checkTime();
    });
  } finally {
    hits.addLine(line, { occurrences, first });
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

interface LineMatcher {
  readonly needle: Buffer | undefined;
  test(line: string): boolean;
  each(line: string, visit: (hit: Hit) => void): void;
}

const SPECIAL = /[\\^$.|?*+()[\]{}\r\n]/;

/** @throws The engine's syntax error for what RE2 lacks: lookaround, backreferences, large repetitions. */
function createLineMatcher({ pattern, literal, ignoreCase }: GrepQuery): LineMatcher {
  const isText = literal ? !/[\r\n]/.test(pattern) : !SPECIAL.test(pattern);
  if (isText && !ignoreCase && pattern !== "" && pattern.isWellFormed())
    return textMatcher(pattern);
  const regex = RE2JS.compile(
    literal ? RE2JS.quote(pattern) : pattern,
    ignoreCase ? RE2JS.CASE_INSENSITIVE : 0,
  );
  return {
    needle: undefined,
    test: (line) => regex.test(line),
    each(line, visit) {
      const matcher = regex.matcher(line);
      while (matcher.find()) {
        const hit = { start: matcher.start(), end: matcher.end() };
        if (hit.end > hit.start) visit(hit);
      }
    },
  };
}

const REPLACEMENT = "\ufffd";

function textMatcher(text: string): LineMatcher {
  return {
    needle: text.includes(REPLACEMENT) ? undefined : Buffer.from(text),
    test: (line) => line.includes(text),
    each(line, visit) {
      for (let start = line.indexOf(text); start >= 0;) {
        const end = start + text.length;
        visit({ start, end });
        start = line.indexOf(text, end);
      }
    },
  };
}
