import type { OffloadOptions } from "../options/options.js";
import type { Offloader } from "./offloader.js";
import { offloaderFor } from "./offloader-for.js";

export type { Offloader } from "./offloader.js";

/**
 * Makes the walk `content -> measure -> decide -> store -> describe` with the given options.
 *
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when an option cannot be used.
 */
export function createOffloader(given: OffloadOptions = {}): Offloader {
  return offloaderFor("createOffloader", given);
}
