import { createLineIndex } from "../../core/drill-in/line-index.js";
import type { ArtifactStore } from "../../core/store/artifact-store.js";
import type { StoredArtifact } from "../../core/types/artifact.js";
import { OffloadError } from "../../core/types/errors.js";
import { decodeText, unfinishedBytes } from "../../util/text-encoding.js";

/** Some lines of a stored output. */
export interface StoredLines {
  content: string;
  mimeType: string;
  totalLines: number;
  /** Counted from 1. */
  startLine: number;
  endLine: number;
  /** Lines before the next unread one; absent at the end. */
  nextOffset?: number;
}

/** One call reads at most this many bytes, and cuts a longer line. */
const MAX_READ_BYTES = 1 << 20;

/** @throws OffloadError, and what the store throws */
export async function readLines(
  store: Pick<ArtifactStore, "read">,
  artifact: StoredArtifact,
  range: { readonly offsetLines: number; readonly limitLines: number },
): Promise<StoredLines> {
  const { lineCount: totalLines, sizeBytes } = artifact;
  const first = Math.max(0, Math.floor(range.offsetLines) || 0);
  const limit = Math.max(1, Math.floor(range.limitLines) || 1);
  const index = createLineIndex(store, artifact);
  const start = await index.lineStart(first + 1);
  if (start === undefined)
    throw new OffloadError(
      "INVALID_ARGUMENTS",
      `Line offset ${first} is past the end: the file has ${totalLines} lines.`,
    );
  const end = (await index.lineStart(first + limit + 1)) ?? sizeBytes;
  const bytes = await store.read(artifact, { start, end: Math.min(end, start + MAX_READ_BYTES) });
  const whole = bytes.lastIndexOf(0x0a) + 1 || bytes.length - unfinishedBytes(bytes);
  const text = decodeText(start + bytes.length < end ? bytes.subarray(0, whole) : bytes);
  const content = text.endsWith("\n") ? text.slice(0, -1) : text;
  const endLine = first + content.split("\n").length;
  const next = endLine < totalLines && { nextOffset: endLine };
  return { content, mimeType: "text/plain", totalLines, startLine: first + 1, endLine, ...next };
}
