import { createIndexes } from "../../core/drill-in/line-index.js";
import type { ArtifactStore } from "../../core/store/artifact-store.js";
import type { StoredArtifact } from "../../core/types/artifact.js";
import { decodeText, unfinishedBytes } from "../../util/text-encoding.js";
import type { BodyLine, Rows } from "../wire.js";
import type { Catalogue } from "./catalogue.js";
import type { Page } from "./sessions.js";

interface BodySource extends Pick<Catalogue, "find"> {
  readonly store: Pick<ArtifactStore, "read">;
}

export type Bodies = (id: string, page: Page) => Promise<Rows<BodyLine>>;

const PAGE_BYTES = 262_144;

/**
 * The lines of a text or document, or the records of their layout, at most 256 KiB. Lines before them are counted once.
 * @throws {@link OffloadError} whatever the store throws.
 */
export function createBodies({ store, find }: BodySource): Bodies {
  const indexOf = createIndexes(store);
  return async (id, { from, limit }) => {
    const artifact = await find(id);
    const { layout, headerBytes, lineCount, recordCount = 0, sizeBytes } = artifact;
    const isRecords = layout === "records";
    const total = isRecords ? recordCount : lineCount;
    const firstLine = from + (isRecords && headerBytes > 0 ? 2 : 1);
    const start = (await indexOf(artifact).lineStart(firstLine)) ?? sizeBytes;
    const rows = await linesFrom(store, artifact, start);
    return { total, from, rows: rows.slice(0, Math.max(0, Math.min(limit, total - from))) };
  };
}

async function linesFrom(
  store: BodySource["store"],
  artifact: StoredArtifact,
  start: number,
): Promise<readonly BodyLine[]> {
  const end = Math.min(artifact.sizeBytes, start + PAGE_BYTES);
  if (start >= end) return [];
  const bytes = await store.read(artifact, { start, end });
  const isEnd = end === artifact.sizeBytes;
  const known = isEnd ? bytes : bytes.subarray(0, bytes.length - unfinishedBytes(bytes));
  const texts = decodeText(known).split("\n");
  const last = texts.pop() ?? "";
  // An unfinished line may be complete on the next page.
  const cut = !isEnd && texts.length === 0;
  if (cut) return [{ text: last, cut }];
  if (isEnd && last !== "") texts.push(last);
  return texts.map((text) => ({ text: text.replace(/\r$/, "") }));
}
