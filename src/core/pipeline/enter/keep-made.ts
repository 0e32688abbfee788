import { StreamFault } from "../../content/stream/held-stream.js";
import type { KeepMade } from "../../../plugins/code/keep-made.js";
import { OffloadError } from "../../types/errors.js";
import type { ToolOutput } from "../../types/output.js";
import type { OffloadResult } from "../../types/result.js";
import type { RunningCall } from "../../types/running-call.js";

/** Walks an output that has to be stored. @throws what keeps it from that */
type WalkMade = (output: ToolOutput, call: RunningCall) => Promise<OffloadResult>;

/** Makes the walk of what a drill-in has made of stored outputs: it is stored as they are, in their session. */
export function createKeepMade(walkMade: WalkMade): KeepMade {
  return async (made, call) => {
    const { scope: sessionId, toolName, toolCallId, args, turn, signal } = call;
    const about = { toolName, toolCallId, args, turn, signal };
    // A drill-in knows its session by nothing but the scope.
    const output = { ...made, ...about, sessionId, unwrapped: true as const };
    const result = await walkMade(output, call).catch((error: unknown) => {
      throw error instanceof StreamFault ? error.thrown : error;
    });
    if (result.outcome === "offloaded") return result;
    throw new OffloadError("STORE_WRITE_FAILED", "What was made has no text to store.");
  };
}
