import { coreOf } from "../../core/plugin-host/plugin-host.js";
import type { OffloadPlugin } from "../../core/types/plugin.js";
import { eventEntry } from "./event-entry.js";
import type { Journal } from "./journal.js";
import { createRecorder, type Recorder } from "./recorder.js";
import { stayedEntry } from "./stayed-entry.js";

/** Tells a journal of what happens, and of what stayed: no event says so. */
export function journal(
  given: Journal,
  {
    ownTools,
    onRecorder,
  }: {
    readonly ownTools: ReadonlySet<string>;
    readonly onRecorder: (recorder: Recorder) => void;
  },
): OffloadPlugin {
  return {
    name: "journal",
    setup(api) {
      const { store, now } = api;
      const { isCleaned } = coreOf(api);
      const recorder = createRecorder({
        journal: given,
        clean: (text, part) => (isCleaned() ? api.clean(text, part) : text),
        isCleaned,
        hasTexts: store.bodies !== "sealed",
        now,
      });
      onRecorder(recorder);
      return {
        onEvent: (event, detail) => recorder.record((take) => eventEntry(event, detail, take)),
        onOutput({ output }, result) {
          if (result.outcome !== "inline" || ownTools.has(output.toolName)) return;
          recorder.record((take) =>
            stayedEntry(output, result, recorder.inlineText ? take : undefined),
          );
        },
        close: () => recorder.flush(),
      };
    },
  };
}
