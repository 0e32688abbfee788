import { OffloadError } from "../core/types/errors.js";

/** The fault of whoever typed the command; ends the program with 2 and a pointer to the help. */
export function wrongUsage(message: string): OffloadError {
  return new OffloadError("INVALID_ARGUMENTS", message);
}
