import { decodeText, unfinishedBytes } from "../../util/text-encoding.js";
import { createLineIndex } from "../../core/drill-in/line-index.js";
import { OffloadError } from "../../core/types/errors.js";
import type { ArtifactStore } from "../../core/store/artifact-store.js";
import type { StoredArtifact } from "../../core/types/artifact.js";

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

/** What one call reads at most, in bytes; a longer line is cut. */
const MAX_READ_BYTES = 1 << 20;
/** The largest output that is given as a whole. */
const MAX_WHOLE_BYTES = 10 << 20;

/**
 * Reads whole lines, as many as are asked for and fit into a megabyte; a first line longer than that
 * is cut.
 *
 * @throws {@link OffloadError} with code `INVALID_ARGUMENTS` when the file has fewer lines, and
 * whatever `store.read` throws.
 */
export async function readLines(
  store: Pick<ArtifactStore, "read">,
  artifact: StoredArtifact,
  range: { readonly offsetLines: number; readonly limitLines: number },
): Promise<StoredLines> {
  const first = Math.max(0, Math.floor(range.offsetLines) || 0);
  const limit = Math.max(1, Math.floor(range.limitLines) || 1);
  const index = createLineIndex(store, artifact);
  const start = await index.lineStart(first + 1);
  if (start === undefined) {
    throw new OffloadError(
      "INVALID_ARGUMENTS",
      `Line offset ${first} is past the end: the file has ${artifact.lineCount} lines.`,
    );
  }
  const end = (await index.lineStart(first + limit + 1)) ?? artifact.sizeBytes;
  const bytes = await store.read(artifact, { start, end: Math.min(end, start + MAX_READ_BYTES) });
  const kept = start + bytes.length < end ? bytes.subarray(0, lastWhole(bytes)) : bytes;
  const text = decodeText(kept);
  const content = text.endsWith("\n") ? text.slice(0, -1) : text;
  const endLine = first + content.split("\n").length;
  return {
    content,
    mimeType: "text/plain",
    totalLines: artifact.lineCount,
    startLine: first + 1,
    endLine,
    ...(endLine < artifact.lineCount && { nextOffset: endLine }),
  };
}

/**
 * The whole stored output, up to 10 MiB.
 *
 * @throws {@link OffloadError} with code `LIMIT_EXCEEDED` when it is larger, and whatever
 * `store.read` throws.
 */
export async function readWhole(
  store: Pick<ArtifactStore, "read">,
  artifact: StoredArtifact,
): Promise<string> {
  if (artifact.sizeBytes > MAX_WHOLE_BYTES) {
    throw new OffloadError(
      "LIMIT_EXCEEDED",
      `The file has ${artifact.sizeBytes} bytes; at most ${MAX_WHOLE_BYTES} are read at once. Read it by lines.`,
    );
  }
  return decodeText(await store.read(artifact));
}

/** Where the last whole line ends, or else the last whole character. */
function lastWhole(bytes: Uint8Array): number {
  return bytes.lastIndexOf(0x0a) + 1 || bytes.length - unfinishedBytes(bytes);
}
