import type { Notify } from "../../types/events.js";
import { keepLatest } from "../../../util/keep-latest.js";

/** Calls that are remembered; the one not seen for longest goes first. */
const MAX_CALLS = 1000;

/**
 * A listener that hears once of a call's artifact. A node that is resumed runs its calls again, and the same call with
 * the same artifact is one output to whoever counts; a call without an id is always another one.
 */
export function tellOnce(listener: Notify): Notify {
  const told = new Map<string, true>();
  return (event, detail) => {
    if (event.type === "offloaded" && event.toolCallId) {
      const { id, scope } = event.storedArtifact;
      const call = `${scope} ${id} ${event.toolCallId}`;
      const isTold = told.has(call);
      keepLatest(told, call, true, MAX_CALLS);
      if (isTold) return;
    }
    listener(event, detail);
  };
}
