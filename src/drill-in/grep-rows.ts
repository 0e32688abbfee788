import { decodeText } from "../content/text-encoding.js";
import { openSource, type SeekableReader } from "./byte-reader.js";
import type { FoundLines, GrepJob, GrepReply } from "./grep-job.js";
import { createHitList } from "./hit-list.js";
import { longestLineBytes } from "./line-blocks.js";
import { createLineMatcher, type LineMatcher } from "./line-matcher.js";

/** Read at once of a line whose length is not known; doubled until its end is in it. */
const FIRST_READ_BYTES = 8 * 1024;

const NEWLINE = 10;
const RETURN = 13;

/** Makes the list of lines that were found elsewhere, as a search of the whole source makes it. Never throws. */
export function listFound(job: GrepJob, found: FoundLines): GrepReply {
  let matcher: LineMatcher;
  try {
    matcher = createLineMatcher(job);
  } catch (error) {
    const invalid = `Invalid pattern: ${messageOf(error)}`;
    const nothing = { lines: [], totalMatches: 0, truncated: false, timedOut: false };
    return { ok: true, result: { ...nothing, error: invalid } };
  }
  try {
    const source = openSource(job.source);
    try {
      const hits = createHitList(job, matcher);
      let seen = 0;
      for (const { lineNumber, offset, match } of found.lines) {
        if (!hits.collecting()) break;
        hits.skip(job.firstLineNumber + lineNumber - 1 - hits.lineNumber());
        hits.addLine(decodeText(lineAt(source, offset, job.maxLineBytes), job.encoding), match);
        if (match) seen += 1;
      }
      hits.count(found.totalMatches - seen);
      return { ok: true, result: { ...hits.result(), timedOut: found.timedOut } };
    } finally {
      source.close();
    }
  } catch (error) {
    return { ok: false, message: messageOf(error) };
  }
}

/** The line that begins at `offset`, without its end. */
function lineAt(source: SeekableReader, offset: number, maxLineBytes: number): Buffer {
  for (let size = FIRST_READ_BYTES; ; size *= 2) {
    const buffer = Buffer.allocUnsafe(size);
    source.seek(offset);
    const filled = fill(source, buffer);
    const newline = buffer.subarray(0, filled).indexOf(NEWLINE);
    if (newline < 0 && filled === size && size <= longestLineBytes(maxLineBytes)) continue;
    const end = newline < 0 ? filled : newline;
    return buffer.subarray(0, end > 0 && buffer[end - 1] === RETURN ? end - 1 : end);
  }
}

function fill(source: SeekableReader, buffer: Buffer): number {
  let filled = 0;
  while (filled < buffer.length) {
    const count = source.read(buffer.subarray(filled));
    if (count === 0) break;
    filled += count;
  }
  return filled;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
