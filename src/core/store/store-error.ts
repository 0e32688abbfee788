import { OffloadError } from "../types/errors.js";
import type { StoredArtifact } from "../types/artifact.js";

/** The error of a `put` or `delete` that failed, whatever the fault was. */
export function writeFailed(action: string, cause: unknown): OffloadError {
  return new OffloadError("STORE_WRITE_FAILED", `${action} failed: ${reasonOf(cause)}`, { cause });
}

/** The error of a `stat`, `read` or `list` that a fault of the medium stopped. */
export function readFailed(action: string, cause: unknown): OffloadError {
  return new OffloadError("STORE_READ_FAILED", `${action} failed: ${reasonOf(cause)}`, { cause });
}

/** The one answer to unknown, foreign and forged ids. */
function notFound(id: string): OffloadError {
  return new OffloadError(
    "ARTIFACT_NOT_FOUND",
    `No stored output with id ${JSON.stringify(id.slice(0, 64))} in this session. ` +
      "Use an id from a descriptor of this session, or call the tool again.",
  );
}

/** The answer to a caller that knows the artifact, from its `expiresAt` on. */
export function expired(artifact: Pick<StoredArtifact, "id" | "expiresAt">): OffloadError {
  return new OffloadError(
    "ARTIFACT_EXPIRED",
    `The stored output ${JSON.stringify(artifact.id.slice(0, 64))} has expired. Call the tool again.`,
  );
}

/**
 * The answer to a caller whose artifact is not there: what its own copy says of the expiry counts only here, since
 * the store's may have been moved.
 */
export function goneError(
  artifact: Pick<StoredArtifact, "id" | "expiresAt">,
  nowMs: number,
): OffloadError {
  return artifact.expiresAt <= nowMs ? expired(artifact) : notFound(artifact.id);
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
