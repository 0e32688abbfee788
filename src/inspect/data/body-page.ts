import type { LineIndex } from "../../core/drill-in/read/line-index.js";
import type { ArtifactStore } from "../../core/store/artifact-store.js";
import type { StoredArtifact } from "../../core/types/artifact.js";
import { decodeText, unfinishedBytes } from "../../util/text-encoding.js";
import type { BodyLine, BodyPage } from "../wire.js";

/** What is wanted of a body. */
export interface PageRequest {
  /** Where the page begins: at a line, counted from 1, or at the byte that another page names as its next. */
  readonly place: { readonly line: number } | { readonly at: number };
  readonly count: number;
  /** The page ends here at the latest; the end of the body without. */
  readonly until?: number | undefined;
}

/** A page reads no more than this, whatever is in it. */
const PAGE_BYTES = 262_144;
/** A longer line comes in parts. */
const PART_BYTES = 16_384;
const LINE_FEED = 10;

/** A stored body, as pages are taken of it. */
export interface PagedBody {
  readonly artifact: StoredArtifact;
  readonly store: Pick<ArtifactStore, "read">;
  readonly index: LineIndex;
}

/**
 * Lines of a body, at most 256 KiB of them. Lines before them are counted once.
 *
 * @throws {@link OffloadError} whatever the store throws.
 */
export async function bodyPage(
  body: PagedBody,
  { place, count, until }: PageRequest,
): Promise<BodyPage> {
  const { sizeBytes } = body.artifact;
  const end = Math.min(until ?? sizeBytes, sizeBytes);
  const wanted = "at" in place ? place.at : await body.index.lineStart(place.line);
  const start = Math.min(wanted ?? end, end);
  const lines = await linesFrom(body, start, end, count);
  const last = lines.at(-1);
  const next = last === undefined ? end : last.at + last.sizeBytes;
  const firstLine = (await body.index.lineFeedsBefore(start)) + 1;
  return { lines, firstLine, ...(next < end && { next }) };
}

async function linesFrom(
  { store, artifact }: PagedBody,
  start: number,
  stop: number,
  count: number,
): Promise<readonly BodyLine[]> {
  if (start >= stop) return [];
  const from = Math.max(0, start - 1);
  const bytes = await store.read(artifact, {
    start: from,
    end: Math.min(stop, start + PAGE_BYTES),
  });
  const lines: BodyLine[] = [];
  let at = start - from;
  let continued = at > 0 && bytes[at - 1] !== LINE_FEED;
  while (at < bytes.length && lines.length < count) {
    const feed = bytes.indexOf(LINE_FEED, at);
    const lineEnd = feed === -1 ? bytes.length : feed + 1;
    const isLastHere = feed === -1 && from + bytes.length < stop;
    const whole = bytes.subarray(at, Math.min(lineEnd, at + PART_BYTES));
    const cut = lineEnd - at > PART_BYTES || isLastHere;
    // A line that begins here and is not whole may be so on the next page.
    if (isLastHere && lines.length > 0 && lineEnd - at <= PART_BYTES) break;
    const part = cut
      ? whole.subarray(0, whole.length - unfinishedBytes(whole, artifact.encoding))
      : whole;
    const kept = part.length === 0 ? whole : part;
    lines.push({
      at: from + at,
      sizeBytes: kept.length,
      text: decodeText(kept, artifact.encoding).replace(/\r?\n$/, ""),
      ...(continued && { continued }),
      ...(cut && { cut: true as const }),
    });
    at += kept.length;
    continued = cut;
  }
  return lines;
}
