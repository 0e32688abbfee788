import { pause } from "../../util/pause.js";
import { decodeText } from "../../util/text-encoding.js";
import type { ArtifactStore } from "../../core/store/artifact-store.js";
import type { StoredArtifact } from "../../core/types/artifact.js";

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
 * Finds the lines of a stored output that contain a text, exactly as it is written; each line counts once. Reads chunk
 * by chunk, looks at each byte a bounded number of times whatever the text is, and lets others run between chunks.
 *
 * @throws {@link OffloadError} whatever `store.read` throws.
 */
export async function searchArtifact(
  store: Pick<ArtifactStore, "read">,
  artifact: StoredArtifact,
  text: string,
  maxMatches: number,
): Promise<{ readonly matches: LineMatch[]; readonly truncated: boolean }> {
  const matches: LineMatch[] = [];
  if (text === "" || text.length > MAX_NEEDLE_CHARACTERS || maxMatches <= 0) {
    return { matches, truncated: maxMatches <= 0 };
  }
  const needle = Buffer.from(text);
  const borders = bordersOf(needle);
  const path = `/${artifact.fileName}`;
  const lastByte = Math.min(artifact.sizeBytes, MAX_SEARCH_BYTES);
  let line = 1;
  let lineStart = 0;
  let isMatched = false;
  /** How much of the text's beginning stands before the byte that comes. */
  let found = 0;
  for (let start = 0; start < lastByte; start += CHUNK_BYTES) {
    const end = Math.min(start + CHUNK_BYTES, lastByte);
    const bytes = await store.read(artifact, { start, end });
    for (let at = 0; at < bytes.length; at += 1) {
      const byte = bytes[at];
      if (byte === LINE_FEED) {
        line += 1;
        lineStart = start + at + 1;
        isMatched = false;
        found = 0;
      } else if (!isMatched) {
        while (found > 0 && byte !== needle[found]) found = borders[found - 1] ?? 0;
        if (byte === needle[found]) found += 1;
        if (found < needle.length) continue;
        isMatched = true;
        const hit = start + at + 1 - needle.length;
        const read = partReader(store, artifact, { start, bytes });
        matches.push({ path, line, text: await excerpt(read, { lineStart, hit }) });
        if (matches.length >= maxMatches) return { matches, truncated: true };
      }
    }
    await pause();
  }
  return { matches, truncated: lastByte < artifact.sizeBytes };
}

/**
 * How long the longest beginning of a text is that each of its beginnings also ends with: where a search goes on when
 * the next byte is another one. @source Knuth, Morris and Pratt, Fast Pattern Matching in Strings.
 */
function bordersOf(needle: Uint8Array): Uint32Array {
  const borders = new Uint32Array(needle.length);
  let length = 0;
  for (let at = 1; at < needle.length; at += 1) {
    while (length > 0 && needle[at] !== needle[length]) length = borders[length - 1] ?? 0;
    if (needle[at] === needle[length]) length += 1;
    borders[at] = length;
  }
  return borders;
}

type PartReader = (start: number, lengthBytes: number) => Promise<Uint8Array>;

/** Reads parts, of the chunk at hand where they lie in it. */
function partReader(
  store: Pick<ArtifactStore, "read">,
  artifact: StoredArtifact,
  chunk: { readonly start: number; readonly bytes: Uint8Array },
): PartReader {
  return async (start, lengthBytes) => {
    const end = Math.min(start + lengthBytes, artifact.sizeBytes);
    const isAtHand = start >= chunk.start && end <= chunk.start + chunk.bytes.length;
    return isAtHand
      ? chunk.bytes.subarray(start - chunk.start, end - chunk.start)
      : await store.read(artifact, { start, end });
  };
}

/** The line of a hit, of a long one the part from a little before it. */
async function excerpt(
  read: PartReader,
  { lineStart, hit }: { readonly lineStart: number; readonly hit: number },
): Promise<string> {
  const line = withoutNext(await read(lineStart, MAX_LINE_BYTES + 1));
  if (line.length <= MAX_LINE_BYTES) return decodeText(line);
  const start = Math.max(lineStart, hit - BEFORE_BYTES);
  const part = decodeText(withoutNext(await read(start, MAX_LINE_BYTES)));
  // Characters that were cut at the ends.
  let from = 0;
  let to = part.length;
  while (part[from] === "\uFFFD") from += 1;
  while (to > from && part[to - 1] === "\uFFFD") to -= 1;
  return part.slice(from, to);
}

function withoutNext(bytes: Uint8Array): Uint8Array {
  const end = bytes.indexOf(LINE_FEED);
  return end === -1 ? bytes : bytes.subarray(0, end);
}
