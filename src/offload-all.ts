import type { Turns } from "./decide/turn-meeting.js";
import type { OffloadListener } from "./events.js";
import type { OffloadResult, ToolOutput } from "./types.js";

type Offload = (output: ToolOutput, onEvent?: OffloadListener) => Promise<OffloadResult>;

/** Walks the outputs of one turn, each with a seat among the others. */
export async function offloadAll(
  outputs: readonly ToolOutput[],
  { turns, offload }: { readonly turns: Turns; readonly offload: Offload },
  onEvent?: OffloadListener,
): Promise<OffloadResult[]> {
  const turn = {};
  const turnCalls = outputs.length;
  const walked = outputs.map(async (output, position) => {
    const call = { callId: String(position), position, calls: turnCalls, signal: output.signal };
    const seat = turns.join(turn, call);
    try {
      return await offload({ ...output, turnCalls, seat }, onEvent);
    } finally {
      seat?.end(false);
    }
  });
  return await Promise.all(walked);
}
