import { createHash } from "node:crypto";

import { OffloadError } from "../types/errors.js";
import type { ByteRange } from "../store/artifact-store.js";
import { sha256Of } from "../content/bytes.js";
import type { StoredArtifact } from "../types/artifact.js";
import { grouped } from "../../util/amounts.js";

type ReadRange = (range: ByteRange) => Promise<Uint8Array>;

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

function damaged({ id, sizeBytes }: StoredArtifact): OffloadError {
  return new OffloadError(
    "ARTIFACT_DAMAGED",
    `The stored output ${id} is damaged: its ${grouped(sizeBytes)} bytes are not those that were ` +
      "stored. Call the tool that made it again with the same arguments.",
  );
}
