import type { Turns } from "../../decide/turn/turn-meeting.js";
import type { OffloadListener } from "../../types/events.js";
import type { ToolOutput } from "../../types/output.js";
import type { FailedOutput, OffloadResult } from "../../types/result.js";

type Offload = (output: ToolOutput, onEvent?: OffloadListener) => Promise<OffloadResult>;

/** Walks the outputs of one turn, each with a seat among the others. Never rejects. */
export async function offloadAll(
  outputs: readonly ToolOutput[],
  { turns, offload }: { readonly turns: Turns; readonly offload: Offload },
  onEvent?: OffloadListener,
): Promise<(OffloadResult | FailedOutput)[]> {
  const turn = {};
  const turnCalls = outputs.length;

  async function walk(output: ToolOutput, position: number): Promise<OffloadResult> {
    // From code without types anything may come.
    if (typeof output !== "object" || output === null) return await offload(output, onEvent);
    const call = { callId: String(position), position, calls: turnCalls, signal: output.signal };
    const seat = turns.join(turn, call);
    try {
      return await offload({ ...output, turnCalls, seat }, onEvent);
    } finally {
      seat?.end(false);
    }
  }

  const walked = await Promise.allSettled(outputs.map(walk));
  return walked.map((result) =>
    result.status === "fulfilled" ? result.value : { outcome: "failed", error: result.reason },
  );
}
