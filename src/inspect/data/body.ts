import { createIndexes, type LineIndex } from "../../core/drill-in/line-index.js";
import type { ArtifactStore } from "../../core/store/artifact-store.js";
import type { StoredArtifact } from "../../core/types/artifact.js";
import { decodeText, unfinishedBytes } from "../../util/text-encoding.js";
import type { BodyLine, BodyPage } from "../wire.js";
import type { Catalogue } from "./catalogue.js";

export interface PageRequest {
  readonly line: number;
  readonly count: number;
}

export type Bodies = (id: string, request: PageRequest) => Promise<BodyPage>;

export interface PagedBody {
  readonly artifact: StoredArtifact;
  readonly store: Pick<ArtifactStore, "read">;
  readonly index: LineIndex;
}

const PAGE_BYTES = 262_144;

export function createBodies({ store, find }: Catalogue): Bodies {
  const indexOf = createIndexes(store);
  return async (id, request) => {
    const artifact = await find(id);
    return await bodyPage({ artifact, store, index: indexOf(artifact) }, request);
  };
}

/**
 * At most 256 KiB of lines. Lines before them are counted once.
 * @throws {@link OffloadError} whatever the store throws.
 */
export async function bodyPage(body: PagedBody, { line, count }: PageRequest): Promise<BodyPage> {
  const start = await body.index.lineStart(line);
  const lines = start === undefined ? [] : await linesFrom(body, start, count);
  return { lines, firstLine: line };
}

async function linesFrom(
  { store, artifact }: PagedBody,
  start: number,
  count: number,
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
  return texts.slice(0, count).map((text) => ({ text: text.replace(/\r$/, "") }));
}
