import { StreamFault } from "../../content/stream/held-stream.js";
import type { OffloadListener } from "../../types/events.js";
import { combineListeners } from "../observe/combine-listeners.js";
import type { ToolOutput } from "../../types/output.js";
import type { OffloadResult } from "../../types/result.js";
import type { Recoveries } from "../recover.js";
import type { Steps } from "../walk.js";
import type { Admit } from "./admit.js";
import type { Walk } from "./walk-redacted.js";

/** What walking an output works with. */
interface OneOptions {
  readonly steps: Steps;
  readonly walk: Walk;
  readonly recoveries: Recoveries;
  readonly admitted: Admit;
  readonly notify: OffloadListener;
}

export type OffloadOne = (output: ToolOutput, onEvent?: OffloadListener) => Promise<OffloadResult>;

/** Makes the walk of outputs that say themselves where they come from. Rejects with a tool's fault only. */
export function createOffloadOne(options: OneOptions): OffloadOne {
  const { steps, walk, recoveries, admitted } = options;
  return async (output, onEvent) => {
    if (!isOutput(output)) return { outcome: "inline", value: output };
    const notify = onEvent ? combineListeners(options.notify, onEvent) : options.notify;
    try {
      const call = admitted(output, notify);
      const result = call && (await walk(call, steps));
      output.seat?.end(true);
      return result ?? { outcome: "inline", value: output.value };
    } catch (error) {
      if (error instanceof StreamFault) throw error.thrown;
      // Whatever is wrong with what came, the call goes on with it.
      return recoveries.passOn(error, output, notify);
    }
  };
}

/** From code without types anything may come. */
function isOutput(given: unknown): given is ToolOutput {
  return typeof given === "object" && given !== null;
}
