import { OffloadError } from "../../types/errors.js";
import type { StoredArtifact } from "../../types/artifact.js";
import { withDeadline } from "../../../util/abort.js";
import { faultSentence } from "../sentences/fault-sentence.js";
import type { DrillInContext } from "./context.js";
import { whatBecame } from "./find-artifact.js";

/** Longest wait for what became of an output: the store may be what fails. */
const LOOK_MS = 2000;

type Looking = Pick<DrillInContext, "store" | "seen" | "now" | "onMissing">;

/**
 * What became of the first of some outputs that is gone, for an engine that cannot open a body and does not know why:
 * the store is asked once for each. `undefined` where all are there, or nobody knows. Never rejects.
 */
export async function goneAmong(
  context: Looking,
  artifacts: Iterable<StoredArtifact>,
): Promise<string | undefined> {
  for (const artifact of artifacts) {
    const gone = await withDeadline({ timeoutMs: LOOK_MS, late: "late" }, () =>
      whatBecame(context, artifact),
    ).catch(() => undefined);
    if (gone !== undefined) return gone;
  }
  return undefined;
}

/**
 * A fault in words: what could not be read may be gone. Never rejects.
 *
 * @param artifacts - Those that were read.
 */
export async function toldFault(
  context: Looking,
  error: unknown,
  artifacts: Iterable<StoredArtifact>,
): Promise<string> {
  const read = [...artifacts];
  const isUnread = OffloadError.isInstance(error) && error.code === "STORE_READ_FAILED";
  const gone = isUnread ? await goneAmong(context, read) : undefined;
  return gone ?? faultSentence(error, read.length === 1 ? read[0] : undefined);
}
