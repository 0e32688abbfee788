import type { OffloadListener } from "../../types/events.js";
import type { Recorder } from "../../../plugins/journal/recorder.js";
import { scopeOf } from "../../store/naming.js";
import type { ToolOutput } from "../../types/output.js";
import type { Call } from "../call.js";
import { doorOf, type Doors } from "../doors/doors.js";

/** What judging at the door works with. */
interface AdmitParts {
  readonly doors: Doors;
  readonly optionsOf: (output: ToolOutput) => Call["options"];
  readonly ownTools: ReadonlySet<string>;
  readonly recorder: Recorder | undefined;
}

/** The call of an output; `undefined` for one that is to be left as it is. */
export type Admit = (output: ToolOutput, notify: OffloadListener) => Call | undefined;

export function createAdmit({ doors, optionsOf, ownTools, recorder }: AdmitParts): Admit {
  return (output, tell) => {
    if (ownTools.has(output.toolName)) return undefined;
    const options = optionsOf(output);
    const door = doorOf(output, doors);
    if (!door.admits(output, options)) return undefined;
    const scope = (): string => scopeOf(output.sessionId);
    const notify = recorder === undefined ? tell : recorder.within(scope, tell);
    if (typeof output.sessionId === "string") {
      return { output, scope: scope(), options, door, notify };
    }
    // From code without types: it fails where it would be counted or stored, and not before. V8 takes long to make
    // such an object.
    return {
      output,
      options,
      door,
      notify,
      get scope() {
        return scope();
      },
    };
  };
}
