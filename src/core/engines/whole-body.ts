import { createHash } from "node:crypto";

import { hasErrorCode, OffloadError } from "../types/errors.js";
import type { ArtifactStore, ByteRange } from "../store/artifact-store.js";
import { sha256Of } from "../content/bytes.js";
import type { StoredArtifact } from "../types/artifact.js";
import { grouped } from "../../util/amounts.js";

type ReadRange = (range: ByteRange) => Promise<Uint8Array>;

/** Read at once. */
const PIECE_BYTES = 4 * 1024 * 1024;

/**
 * The stored file of an artifact in pieces, its header line included.
 *
 * @throws {@link OffloadError} with code `ARTIFACT_DAMAGED` after the last piece, when the body is not the one
 * that was stored; whatever `read` throws.
 */
export async function* checkedPieces(
  artifact: StoredArtifact,
  read: ReadRange,
): AsyncGenerator<Uint8Array, void> {
  const { bodySha256, headerBytes, sizeBytes } = artifact;
  const hash = bodySha256 === undefined ? undefined : createHash("sha256");
  for (let start = 0; start < sizeBytes; start += PIECE_BYTES) {
    const piece = await read({ start, end: Math.min(start + PIECE_BYTES, sizeBytes) });
    hash?.update(piece.subarray(Math.max(0, headerBytes - start)));
    yield piece;
  }
  if (hash !== undefined && hash.digest("hex") !== bodySha256) throw damaged(artifact);
}

/**
 * The body of an artifact without its header line, read at once.
 *
 * @throws As {@link checkedPieces}.
 */
export async function checkedBody(artifact: StoredArtifact, read: ReadRange): Promise<Uint8Array> {
  const { bodySha256, headerBytes: start, sizeBytes: end } = artifact;
  const body = await read({ start, end });
  if (bodySha256 !== undefined && (await sha256Of(body)) !== bodySha256) throw damaged(artifact);
  return body;
}

/** Runs a fetch, and once more when what came was damaged: on the way, or in one of a server's copies. */
export async function fetchTwice<T>(fetch: () => Promise<T>): Promise<T> {
  try {
    return await fetch();
  } catch (error) {
    if (!isDamage(error)) throw error;
    return await fetch();
  }
}

/**
 * The copy that is there, as long as it should be. One of another process is read once, to see whether it
 * is what was stored; if not, it goes.
 */
export async function copyThere(
  files: ArtifactStore,
  artifact: StoredArtifact,
  stop: AbortSignal,
  ours?: StoredArtifact,
): Promise<StoredArtifact | undefined> {
  const { scope, bodySha256 } = artifact;
  const id = ours?.id ?? artifact.id;
  const file = await files.stat(id, scope).catch(() => undefined);
  if (file === undefined || ours !== undefined || bodySha256 === undefined) return file;
  try {
    for await (const _ of checkedPieces(artifact, (range) => files.read(file, range))) {
      stop.throwIfAborted();
    }
    return file;
  } catch {
    stop.throwIfAborted();
    await files.delete(id, scope).catch(() => false);
    return undefined;
  }
}

function isDamage(error: unknown): boolean {
  return hasErrorCode(error, "ARTIFACT_DAMAGED");
}

function damaged({ id, sizeBytes }: StoredArtifact): OffloadError {
  return new OffloadError(
    "ARTIFACT_DAMAGED",
    `The stored output ${id} is damaged: its ${grouped(sizeBytes)} bytes are not those that were ` +
      "stored. Call the tool that made it again with the same arguments.",
  );
}
