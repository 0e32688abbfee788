import type { RunningCall } from "../../types/running-call.js";
import type { CallableTools } from "./request.js";

const offered = new WeakMap<RunningCall, CallableTools>();

/** Lets the code of a call use these tools. */
export function offerTools(call: RunningCall, tools: CallableTools): void {
  offered.set(call, tools);
}

/** The tools that the code of a call may use; `undefined` where it may use none. */
export function offeredTools(call: RunningCall): CallableTools | undefined {
  return offered.get(call);
}
