import { decodeText } from "../content/text-encoding.js";
import type { ArtifactStore } from "../store/artifact-store.js";
import type { StoredArtifact } from "../types.js";

/** A line that contains the text searched for. */
export interface LineMatch {
  path: string;
  /** Counted from 1. */
  line: number;
  /** The line; of a long one the part around the match. */
  text: string;
}

const LINE_FEED = 0x0a;
const CHUNK_BYTES = 1 << 20;
/** Lines are shown whole up to this length, and otherwise from this much before the match. */
const MAX_LINE_BYTES = 16_384;
const BEFORE_BYTES = 512;
/** What one search of one file reads at most. */
const MAX_SEARCH_BYTES = 256 << 20;
const MAX_NEEDLE_CHARACTERS = 1000;

/**
 * Finds the lines of a stored output that contain a text, exactly as it is written. Reads chunk by
 * chunk and holds no more than two; each line counts once.
 *
 * @throws {@link OffloadError} whatever `store.read` throws.
 */
export async function searchArtifact(
  store: ArtifactStore,
  artifact: StoredArtifact,
  text: string,
  maxMatches: number,
): Promise<{ readonly matches: LineMatch[]; readonly truncated: boolean }> {
  const needle = Buffer.from(text, "utf8");
  const matches: LineMatch[] = [];
  if (needle.length === 0 || text.length > MAX_NEEDLE_CHARACTERS || maxMatches <= 0) {
    return { matches, truncated: maxMatches <= 0 };
  }
  const path = `/${artifact.fileName}`;
  const lastByte = Math.min(artifact.sizeBytes, MAX_SEARCH_BYTES);
  let kept = Buffer.alloc(0);
  /** The line in which `kept` begins, and whether it has matched already. */
  let line = 1;
  let isMatched = false;
  for (let start = 0; start < lastByte; start += CHUNK_BYTES) {
    const chunk = await store.read(artifact, {
      start,
      end: Math.min(start + CHUNK_BYTES, lastByte),
    });
    const block = Buffer.concat([kept, chunk]);
    const isLast = start + CHUNK_BYTES >= lastByte;
    const bound = isLast ? block.length : keptFrom(block, needle.length);
    let from = 0;
    for (;;) {
      const lineEnd = block.indexOf(LINE_FEED, from);
      const end = lineEnd === -1 ? block.length : lineEnd;
      if (!isMatched) {
        const hit = block.subarray(from, end).indexOf(needle);
        if (hit !== -1 && (isLast || lineEnd !== -1 || from + hit < bound)) {
          isMatched = true;
          matches.push({ path, line, text: excerpt(artifact, block.subarray(from, end), hit) });
          if (matches.length >= maxMatches) return { matches, truncated: true };
        }
      }
      if (lineEnd === -1) break;
      from = lineEnd + 1;
      line += 1;
      isMatched = false;
    }
    kept = Buffer.from(block.subarray(Math.max(from, bound)));
  }
  return { matches, truncated: lastByte < artifact.sizeBytes };
}

/** Where the part begins that the next chunk may complete: an unfinished line, unless it is long. */
function keptFrom(block: Buffer, needleBytes: number): number {
  const lineStart = block.lastIndexOf(LINE_FEED) + 1;
  if (block.length - lineStart <= MAX_LINE_BYTES) return lineStart;
  return Math.max(lineStart, block.length - needleBytes - BEFORE_BYTES);
}

function excerpt(artifact: StoredArtifact, line: Buffer, hit: number): string {
  if (line.length <= MAX_LINE_BYTES) return decodeText(line, artifact.encoding);
  const start = Math.max(0, hit - BEFORE_BYTES);
  const part = decodeText(line.subarray(start, start + MAX_LINE_BYTES), artifact.encoding);
  // Characters that were cut at the ends.
  let from = 0;
  let to = part.length;
  while (part[from] === "\uFFFD") from += 1;
  while (to > from && part[to - 1] === "\uFFFD") to -= 1;
  return part.slice(from, to);
}
