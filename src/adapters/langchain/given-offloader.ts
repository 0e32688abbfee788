import { OffloadError } from "../../errors.js";
import { createOffloader, type Offloader } from "../../offload/create-offloader.js";
import { objectOf } from "../../util/option-rules.js";
import type { OffloadOptions } from "../../options/options.js";

/** Options of an offloader to be made, or one that exists already and is shared. */
export interface GivenOffloader extends OffloadOptions {
  /**
   * An offloader to use as it is; no other offload option may stand beside it. Tools and nodes that
   * share one share its store, its events and its drill-in tools.
   */
  readonly offloader?: Offloader;
}

/**
 * The offloader that was given, or a new one.
 *
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when an option cannot be used, or stands
 * beside `offloader`.
 */
export function givenOffloader(given: GivenOffloader): Offloader {
  const { offloader, ...options } = objectOf("offload", given);
  if (offloader === undefined) return createOffloader(options);
  const beside = Object.entries(options).flatMap(([key, value]) =>
    value === undefined ? [] : [key],
  );
  if (beside.length === 0) return offloader;
  throw new OffloadError(
    "INVALID_OPTIONS",
    `With \`offloader\`, these options have no effect here: ${beside.join(", ")}. ` +
      "Pass them to createOffloader instead.",
  );
}
