import { RE2JS } from "re2js";

import { messageOf } from "../../../util/error-message.js";
import { shorten, wholeCharactersEnd } from "../../../util/safe-text.js";
import {
  charactersIn,
  decodeText,
  LINE_FEED,
  lineFeedsIn,
  withoutReturn,
} from "../../../util/text-encoding.js";
import {
  type ByteReader,
  LineTooLongError,
  openSource,
  readLineBlocks,
} from "../readers/byte-reader.js";
import { beginRun, type OwnRun } from "../run-status.js";
import {
  type FoundText,
  type FoundTexts,
  type GrepJob,
  type GrepLine,
  type GrepQuery,
  type GrepResult,
  NO_HITS,
} from "./job.js";

const CHARACTERS_PER_LOOK = 4096;
const OCCURRENCES_PER_LOOK = 256;

const STOP = new Error("stop");

/** Never throws. */
export function scan(job: GrepJob): GrepResult {
  const own = beginRun(job.softTimeoutMs);
  let source: ByteReader | undefined;
  let matcher: LineMatcher;
  try {
    matcher = createLineMatcher(job);
  } catch (error) {
    return { ...NO_HITS, error: `Invalid pattern: ${messageOf(error)}` };
  }
  try {
    source = openSource(job.source, job.part);
    return scanSource(job, matcher, source, own);
  } catch (error) {
    return { ...NO_HITS, unreadable: messageOf(error) };
  } finally {
    source?.close();
  }
}

function scanSource(
  job: GrepJob,
  matcher: LineMatcher,
  source: ByteReader,
  own: OwnRun,
): GrepResult {
  const hits = createHitList(job);
  const texts = job.onlyMatching && !job.invert ? createTextTally(job) : undefined;
  const needle = job.invert || texts !== undefined ? undefined : matcher.needle;
  const hasContext = job.before + job.after > 0;
  const result = (): GrepResult => ({ ...hits.result(), texts: texts?.result() });

  function checkTime() {
    if (own.isOver()) throw STOP;
  }

  /** Decodes only the lines that are listed. */
  function jumpToHits(block: Buffer, wanted: Buffer) {
    let from = 0;
    for (let at = block.indexOf(wanted); at >= 0;) {
      const lineEnd = block.indexOf(LINE_FEED, at);
      const end = lineEnd < 0 ? block.length : lineEnd;
      if (hits.isListing()) {
        const start = block.lastIndexOf(LINE_FEED, at) + 1;
        hits.skip(lineFeedsIn(block.subarray(from, start)));
        addFound(withoutReturn(decodeText(block.subarray(start, end))));
        from = end + 1;
        at = block.indexOf(wanted, end);
      } else {
        let occurrences = 0;
        for (; at >= 0 && at < end; occurrences += 1)
          at = block.indexOf(wanted, at + wanted.length);
        hits.count(occurrences);
      }
    }
    hits.skip(lineFeedsIn(block.subarray(from)));
  }

  function addFound(line: string) {
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

  function scanLines(text: string) {
    let lookedAt = 0;
    let at = 0;
    while (at < text.length) {
      const end = text.indexOf("\n", at);
      const next = end < 0 ? text.length : end + 1;
      const line = withoutReturn(text.slice(at, end < 0 ? text.length : end));
      const isFound = matcher.test(line);
      if (isFound && !job.invert) addFound(line);
      else hits.addLine(line, isFound === job.invert ? undefined : { occurrences: 0 });
      at = next;
      if (at - lookedAt < CHARACTERS_PER_LOOK) continue;
      lookedAt = at;
      checkTime();
    }
  }

  try {
    for (const block of readLineBlocks(source, job.maxLineBytes)) {
      checkTime();
      if (needle === undefined || (hasContext && hits.isListing())) scanLines(decodeText(block));
      else jumpToHits(block, needle);
    }
  } catch (error) {
    const line = hits.lineNumber();
    if (error === STOP) return { ...result(), timedOut: true, nextLine: line };
    if (!(error instanceof LineTooLongError)) throw error;
    return {
      ...result(),
      error: `Line ${line} is longer than ${job.maxLineBytes} bytes and cannot be searched; the total counts the lines before it.`,
    };
  }
  return result();
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

/** In UTF-16 code units; `end` is exclusive. */
interface Hit {
  readonly start: number;
  readonly end: number;
}

interface FoundInLine {
  readonly occurrences: number;
  readonly first?: Hit | undefined;
}

const LINE_OVERHEAD_BYTES = 12;

function createHitList(job: GrepJob) {
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

  function keepHit(line: GrepLine) {
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

  function remember(line: GrepLine) {
    if (recent.length === job.before) recent.shift();
    recent.push(line);
  }

  function shown(line: string, match: boolean, first?: Hit): GrepLine {
    return { lineNumber: next, match, ...excerptLine(line, first, job.maxLineCharacters) };
  }

  return {
    addLine(line: string, found?: FoundInLine): void {
      if (found !== undefined) {
        this.count(found.occurrences);
        // A hit beyond the limit must not appear as context.
        if (full) contextLeft = 0;
        else if (skipped < job.skip) {
          skipped += 1;
          // A continued list repeats that context, which may have been cut.
          contextLeft = skipped === job.skip ? job.after : 0;
          if (job.before > 0) remember(shown(line, false, found.first));
        } else keepHit(shown(line, true, found.first));
      } else if (contextLeft > 0) {
        contextLeft -= 1;
        keep(shown(line, false));
      } else if (!full && job.before > 0) remember(shown(line, false));
      next += 1;
    },
    skip(count: number): void {
      next += count;
    },
    count(occurrences: number): void {
      totalMatches += 1;
      totalOccurrences += occurrences;
    },
    isListing: () => contextLeft > 0 || !full,
    lineNumber: () => next,
    result: (): GrepResult => ({ ...NO_HITS, lines, totalMatches, totalOccurrences }),
  };
}

const MAX_TEXTS = 20_000;
/** In UTF-16 code units, over all texts. */
const MAX_CHARACTERS = 4_000_000;
const OVERHEAD_BYTES = 32;

function createTextTally(job: GrepJob) {
  const texts = new Map<string, { text: string; lineNumber: number; count: number }>();
  let characters = 0;
  let isFull = false;

  return {
    add(text: string, lineNumber: number): void {
      const known = texts.get(text);
      if (known !== undefined) {
        known.count += 1;
        return;
      }
      characters += text.length;
      isFull ||= texts.size === MAX_TEXTS || (characters > MAX_CHARACTERS && texts.size > 0);
      if (isFull) return;
      const key = detached(text);
      texts.set(key, { text: key, lineNumber, count: 1 });
    },
    result(): FoundTexts {
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
      character: charactersIn(line.slice(0, hitStart)),
      lineLength: charactersIn(line),
    },
  };
}

function detached(text: string): string {
  return Buffer.from(text, "utf16le").toString("utf16le");
}
