import { OffloadError } from "../types/errors.js";
import { grouped } from "../../util/amounts.js";

/** The answer for an encrypted body that memory does not take, and there is no disk for it. */
export function tooLargeSealed(sizeBytes: number, maxMemoryBytes: number): OffloadError {
  return new OffloadError(
    "LIMIT_EXCEEDED",
    `This output of ${grouped(sizeBytes)} bytes is encrypted, and is held in memory only up to ` +
      `${grouped(maxMemoryBytes)} bytes. Read parts of it instead.`,
  );
}

/** The answer for a body that neither the spool nor memory takes. */
export function tooLarge(sizeBytes: number, maxBytes: number, directory: string): OffloadError {
  return new OffloadError(
    "LIMIT_EXCEEDED",
    `This output of ${grouped(sizeBytes)} bytes lies in a shared store and has no room in the spool ` +
      `of this machine (${grouped(maxBytes)} bytes, ${directory}). Read parts of it instead.`,
  );
}
