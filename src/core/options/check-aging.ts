import type { ResolvedAgingOptions } from "../../plugins/aging/aging-options.js";
import { OffloadError } from "../types/errors.js";
import type { ArtifactStore } from "../store/artifact-store.js";
import type { DrillInToolNames } from "../types/result.js";

/** @throws {@link OffloadError} with code `INVALID_OPTIONS` where aged results could not be read back. */
export function checkAging(
  { mode }: ResolvedAgingOptions,
  store: ArtifactStore,
  { read }: DrillInToolNames,
): void {
  if (read === undefined) {
    throw new OffloadError(
      "INVALID_OPTIONS",
      "aging needs the tool that reads stored outputs, which drillIn leaves out: nothing else gives a result back. " +
        "Give drillIn.names.read a name, or leave aging out.",
    );
  }
  if (mode === "replace" && store.refresh === undefined) {
    throw new OffloadError(
      "INVALID_OPTIONS",
      `The store ${store.name} cannot move an expiry, so with aging.mode "replace" results would be lost before their ` +
        'conversation ends. Give its ArtifactStore a `refresh`, or use mode "mark".',
    );
  }
}
