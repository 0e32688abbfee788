import { createIndexes } from "../../core/drill-in/line-index.js";
import type { ArtifactStore } from "../../core/store/artifact-store.js";
import type { StoredArtifact } from "../../core/types/artifact.js";
import { decodeText, unfinishedBytes } from "../../util/text-encoding.js";
import type { BodyLine, BodyPage } from "../wire.js";
import type { Catalogue } from "./catalogue.js";

interface PageRequest {
  readonly line: number;
  readonly count: number;
}

interface BodySource extends Pick<Catalogue, "find"> {
  readonly store: Pick<ArtifactStore, "read">;
}

export type Bodies = (id: string, request: PageRequest) => Promise<BodyPage>;

const PAGE_BYTES = 262_144;

/**
 * At most 256 KiB of lines. Lines before them are counted once.
 * @throws {@link OffloadError} whatever the store throws.
 */
export function createBodies({ store, find }: BodySource): Bodies {
  const indexOf = createIndexes(store);
  return async (id, { line, count }) => {
    const artifact = await find(id);
    const start = (await indexOf(artifact).lineStart(line)) ?? artifact.sizeBytes;
    return { lines: await linesFrom(store, artifact, start, count), firstLine: line };
  };
}

async function linesFrom(
  store: BodySource["store"],
  artifact: StoredArtifact,
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
