import { OffloadError } from "../errors.js";

/** A fault that is not the model's, in words that tell it what to do. */
export function faultSentence(error: unknown): string {
  if (!OffloadError.isInstance(error)) {
    return "This stored output could not be read because of an internal fault. Call the tool that made it again.";
  }
  if (error.code === "ARTIFACT_NOT_FOUND" || error.code === "ARTIFACT_EXPIRED") {
    return "This stored output is gone. Call the tool that made it again with the same arguments.";
  }
  if (error.code === "STORE_READ_FAILED") {
    return "The store did not answer. Try once more; then call the tool that made the output again.";
  }
  return error.message;
}
