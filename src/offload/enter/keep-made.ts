import { StreamFault } from "../../content/stream/held-stream.js";
import type { KeepMade } from "../../drill-in/code/keep-made.js";
import { OffloadError } from "../../errors.js";
import type { OffloadListener } from "../../events.js";
import type { ToolOutput } from "../../types/output.js";
import type { OffloadResult } from "../../types/result.js";

/** Walks an output that has to be stored. @throws what keeps it from that */
type WalkMade = (
  output: ToolOutput,
  scope: string,
  onEvent: OffloadListener | undefined,
) => Promise<OffloadResult>;

/** Makes the walk of what a drill-in has made of stored outputs: it is stored as they are, in their session. */
export function createKeepMade(walkMade: WalkMade): KeepMade {
  return async ({ scope, onEvent, ...about }) => {
    // A drill-in knows its session by nothing but the scope.
    const output: ToolOutput = { ...about, sessionId: scope, unwrapped: true };
    const result = await walkMade(output, scope, onEvent).catch((error: unknown) => {
      throw error instanceof StreamFault ? error.thrown : error;
    });
    if (result.outcome === "offloaded") return result;
    throw new OffloadError("STORE_WRITE_FAILED", "What was made has no text to store.");
  };
}
