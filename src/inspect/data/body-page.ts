import type { LineIndex } from "../../drill-in/read/line-index.js";
import type { ArtifactStore } from "../../store/artifact-store.js";
import type { StoredArtifact } from "../../types/artifact.js";
import { decodeText, unfinishedBytes } from "../../util/text-encoding.js";
import type { BodyLine, BodyPage } from "../wire.js";

/** Where a page begins, in bytes: at a place, around it, before it, or at a line, counted from 1. */
export type PagePlace =
  | { readonly at: number }
  | { readonly near: number }
  | { readonly before: number }
  | { readonly line: number };

/** What is wanted of a body. */
export interface PageRequest {
  readonly place: PagePlace;
  readonly count: number;
  /** The page ends here at the latest; the end of the body without. */
  readonly until?: number | undefined;
}

/** A page reads no more than this, whatever is in it. */
const PAGE_BYTES = 262_144;
/** A longer line comes in parts. */
const PART_BYTES = 16_384;
/** How long a page of a large body waits until lines are counted; the count goes on without it. */
const COUNT_WAIT_MS = 10;
/** Lines of a body up to this size are always waited for. */
const SMALL_BYTES = 16_777_216;
const LINE_FEED = 10;

/** A stored body, as pages are taken of it. */
export interface PagedBody {
  readonly artifact: StoredArtifact;
  readonly store: Pick<ArtifactStore, "read">;
  readonly index: LineIndex;
}

/**
 * Lines of a body from any place of it, in the time of one read of 256 KiB: where their numbers are not known in time, the page
 * comes without, and the count goes on.
 *
 * @throws {@link OffloadError} whatever the store throws.
 */
export async function bodyPage(body: PagedBody, request: PageRequest): Promise<BodyPage> {
  const { sizeBytes } = body.artifact;
  const end = Math.min(request.until ?? sizeBytes, sizeBytes);
  const { start, stop, guessed } = await startOf(body, request, end);
  const lines = await linesFrom(
    body,
    start,
    stop,
    "before" in request.place ? Infinity : request.count,
  );
  const last = lines.at(-1);
  const next = last === undefined ? end : last.at + last.sizeBytes;
  const feeds = start >= end ? undefined : await inTime(body, body.index.lineFeedsBefore(start));
  return {
    lines,
    sizeBytes,
    ...(feeds !== undefined && { firstLine: feeds + 1 }),
    ...(next < end && { next }),
    ...(guessed && { guessed }),
  };
}

/**
 * The line around a byte, in the time of one read; `undefined` at the end. Nobody counts the lines before it.
 *
 * @throws {@link OffloadError} whatever the store throws.
 */
export async function lineNear(
  body: PagedBody,
  byte: number,
  end: number,
): Promise<BodyLine | undefined> {
  const [line] = await linesFrom(body, await lineAround(body, byte), end, 1);
  return line;
}

interface Start {
  readonly start: number;
  /** Exclusive. */
  readonly stop: number;
  readonly guessed?: true;
}

async function startOf(
  body: PagedBody,
  { place, count }: PageRequest,
  end: number,
): Promise<Start> {
  if ("at" in place) return { start: Math.min(place.at, end), stop: end };
  if ("near" in place)
    return { start: await lineAround(body, Math.min(place.near, end)), stop: end };
  if ("before" in place) {
    const stop = Math.min(place.before, end);
    return { start: await startBefore(body, stop, count), stop };
  }
  const { artifact, index } = body;
  const known = await inTime(
    body,
    index.lineStart(place.line).then((start) => start ?? artifact.sizeBytes),
  );
  if (known !== undefined) return { start: known, stop: end };
  const share = Math.min(1, (place.line - 1) / Math.max(1, artifact.lineCount));
  const guess = Math.floor(share * artifact.sizeBytes);
  return { start: await lineAround(body, guess), stop: end, guessed: true };
}

/** What a promise gives within the time; it goes on otherwise, and what it throws is nobody's. */
async function inTime<Value>(
  { artifact }: PagedBody,
  promise: Promise<Value>,
): Promise<Value | undefined> {
  if (artifact.sizeBytes <= SMALL_BYTES) return await promise;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, COUNT_WAIT_MS, undefined);
  });
  const value = await Promise.race([promise.catch(() => undefined), late]);
  clearTimeout(timer);
  return value;
}

/** First byte of the line that holds a byte; of a very long one the byte itself. */
async function lineAround(body: PagedBody, byte: number): Promise<number> {
  const from = Math.max(0, byte - PAGE_BYTES / 4);
  const bytes = await read(body, from, byte);
  const feed = bytes.lastIndexOf(LINE_FEED);
  if (feed !== -1) return from + feed + 1;
  return from === 0 ? 0 : await characterAt(body, byte);
}

/** Where the `count` lines before a byte begin, as far as one page reaches. */
async function startBefore(body: PagedBody, byte: number, count: number): Promise<number> {
  const from = Math.max(0, byte - PAGE_BYTES);
  const bytes = await read(body, from, byte);
  let start = byte;
  let at = bytes.length - 1;
  for (let lines = 0; lines < count && at > 0; lines += 1) {
    // The line feed at `at` ends the line that is wanted.
    at = bytes.lastIndexOf(LINE_FEED, at - 1);
    if (at === -1) break;
    start = from + at + 1;
  }
  if (at <= 0 && from === 0) return 0;
  if (start < byte) return start;
  return await characterAt(body, Math.max(from, byte - PART_BYTES));
}

/** The next byte that begins a character. */
async function characterAt(body: PagedBody, byte: number): Promise<number> {
  if (body.artifact.encoding === "latin1") return byte;
  const bytes = await read(body, byte, byte + 4);
  const first = bytes.findIndex((one) => (one & 0xc0) !== 0x80);
  return byte + Math.max(0, first);
}

async function linesFrom(
  body: PagedBody,
  start: number,
  stop: number,
  count: number,
): Promise<readonly BodyLine[]> {
  const from = Math.max(0, start - 1);
  const bytes = await read(body, from, Math.min(stop, start + PAGE_BYTES));
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
      ? whole.subarray(0, whole.length - unfinishedBytes(whole, body.artifact.encoding))
      : whole;
    const kept = part.length === 0 ? whole : part;
    lines.push({
      at: from + at,
      sizeBytes: kept.length,
      text: withoutLineEnd(decodeText(kept, body.artifact.encoding)),
      ...(continued && { continued }),
      ...(cut && { cut: true as const }),
    });
    at += kept.length;
    continued = cut;
  }
  return lines;
}

function withoutLineEnd(text: string): string {
  return text.replace(/\r?\n$/, "");
}

async function read(
  { store, artifact }: PagedBody,
  start: number,
  end: number,
): Promise<Uint8Array> {
  if (start >= end) return new Uint8Array();
  return await store.read(artifact, { start, end });
}
