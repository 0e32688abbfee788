import { OffloadError } from "../../types/errors.js";
import type { StoredArtifact } from "../../types/artifact.js";
import { expiredWhy, goneSentence } from "./gone-sentence.js";

/**
 * A fault that is not the model's, in words that tell it what to do.
 *
 * @param artifact - The one that was read, when there was only one.
 */
export function faultSentence(error: unknown, artifact?: StoredArtifact): string {
  if (!OffloadError.isInstance(error)) {
    return "This stored output could not be read because of an internal fault. Call the tool that made it again.";
  }
  if (error.code === "ARTIFACT_NOT_FOUND" || error.code === "ARTIFACT_EXPIRED") {
    const isExpired = error.code === "ARTIFACT_EXPIRED";
    if (artifact !== undefined) {
      return goneSentence(
        artifact,
        isExpired ? expiredWhy(artifact) : "was deleted before its time",
      );
    }
    return `This stored output ${isExpired ? "has expired" : "is gone"}. Call the tool that made it again with the same arguments.`;
  }
  if (error.code === "STORE_READ_FAILED") {
    return "The store did not answer. Try once more; then call the tool that made the output again.";
  }
  return error.message;
}
