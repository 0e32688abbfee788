import { OffloadError } from "../../core/types/errors.js";

/** The error code with which a promise rejects; `resolved` or `other error` when it does not. */
export async function rejectionCode(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
    return "resolved";
  } catch (error) {
    return OffloadError.isInstance(error) ? error.code : "other error";
  }
}
