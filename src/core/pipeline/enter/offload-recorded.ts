import type { Recorder } from "../../../plugins/journal/recorder.js";
import { stayedEntry } from "../../../plugins/journal/stayed-entry.js";
import type { OffloadOne } from "./offload-one.js";

/** The same walk, of which a journal is also told what stayed: no event says so. */
export function offloadRecorded(
  offload: OffloadOne,
  recorder: Recorder,
  ownTools: ReadonlySet<string>,
): OffloadOne {
  return async (output, onEvent) => {
    const result = await offload(output, onEvent);
    if (result.outcome === "inline" && !ownTools.has(output?.toolName)) {
      recorder.record((take) =>
        stayedEntry(output, result, recorder.inlineText ? take : undefined),
      );
    }
    return result;
  };
}
