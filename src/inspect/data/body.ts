import { rowFormatOf, splitRow } from "../../core/content/table/rows.js";
import { createIndexes, type LineIndex } from "../../core/drill-in/line-index.js";
import type { ArtifactStore } from "../../core/store/artifact-store.js";
import type { StoredArtifact } from "../../core/types/artifact.js";
import { decodeText, unfinishedBytes } from "../../util/text-encoding.js";
import type { BodyLine, BodyPage } from "../wire.js";
import type { Catalogue } from "./catalogue.js";

/** What is wanted of a body: lines from the one with a number, from 1, or from a byte within a long one. */
export interface PageRequest {
  readonly line?: number | undefined;
  readonly byte?: number | undefined;
  readonly count: number;
}

/** Gives a page of an output's body. */
export type Bodies = (id: string, request: PageRequest) => Promise<BodyPage>;

/** A stored body, as pages are taken of it. */
export interface PagedBody {
  readonly artifact: StoredArtifact;
  readonly store: Pick<ArtifactStore, "read">;
  readonly index: LineIndex;
}

/** A page reads no more than this, whatever is in it. */
const PAGE_BYTES = 262_144;
/** A longer line comes in parts. */
const PART_BYTES = 16_384;
const LINE_FEED = 10;

/** Pages of the outputs of a catalogue; what is counted of their lines is kept. */
export function createBodies({ store, find }: Catalogue): Bodies {
  const indexOf = createIndexes(store);
  return async (id, request) => {
    const artifact = await find(id);
    return await bodyPage({ artifact, store, index: indexOf(artifact) }, request);
  };
}

/**
 * Lines of a body, at most 256 KiB of them. Lines before them are counted once.
 *
 * @throws {@link OffloadError} whatever the store throws.
 */
export async function bodyPage(
  body: PagedBody,
  { line = 1, byte, count }: PageRequest,
): Promise<BodyPage> {
  const { artifact, index } = body;
  const { sizeBytes, lineCount, recordCount, layout } = artifact;
  const start = Math.min(byte ?? (await index.lineStart(line)) ?? sizeBytes, sizeBytes);
  const lines = await linesFrom(body, start, count);
  const last = lines.at(-1);
  const next = last === undefined ? sizeBytes : last.at + last.sizeBytes;
  const page = {
    lines,
    firstLine: (await index.before(start)).lines + 1,
    ...(next < sizeBytes && { next }),
  };
  // A row with a line end in a cell stands on several lines.
  if (layout !== "rows" || recordCount !== lineCount - 1) return page;
  const format = rowFormatOf(artifact);
  const [head] = await linesFrom(body, 0, 1);
  return {
    ...page,
    columns: splitRow(head?.text ?? "", format),
    lines: lines.map((one) =>
      one.cut || one.continued ? one : { ...one, cells: splitRow(one.text, format) },
    ),
  };
}

async function linesFrom(
  { store, artifact }: PagedBody,
  start: number,
  count: number,
): Promise<readonly BodyLine[]> {
  const { sizeBytes } = artifact;
  if (start >= sizeBytes) return [];
  const from = Math.max(0, start - 1);
  const end = Math.min(sizeBytes, start + PAGE_BYTES);
  const bytes = await store.read(artifact, { start: from, end });
  const lines: BodyLine[] = [];
  let at = start - from;
  let continued = at > 0 && bytes[at - 1] !== LINE_FEED;
  for (let ended = 0; at < bytes.length && ended < count; ended += Number(!continued)) {
    const feed = bytes.indexOf(LINE_FEED, at);
    const lineEnd = feed === -1 ? bytes.length : feed + 1;
    const isLong = lineEnd - at > PART_BYTES;
    const isUnfinished = feed === -1 && end < sizeBytes;
    // A line that begins here and is not whole may be so on the next page.
    if (isUnfinished && !isLong && lines.length > 0) break;
    const cut = isLong || isUnfinished;
    const whole = bytes.subarray(at, Math.min(lineEnd, at + PART_BYTES));
    const part = cut ? whole.subarray(0, whole.length - unfinishedBytes(whole)) : whole;
    const kept = part.length === 0 ? whole : part;
    lines.push({
      at: from + at,
      sizeBytes: kept.length,
      text: decodeText(kept).replace(/\r?\n$/, ""),
      ...(continued && { continued }),
      ...(cut && { cut }),
    });
    at += kept.length;
    continued = cut;
  }
  return lines;
}
