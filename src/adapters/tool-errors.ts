import { isGraphBubbleUp } from "@langchain/langgraph";
import { ToolInvocationError, type ToolCallRequest } from "langchain";

import { cutError } from "./cut-error.js";

/**
 * The error to throw for a tool that threw. An agent without middleware shows a tool's error to the
 * model and goes on; with any `wrapToolCall` the same error ends the run, unless it is a
 * `ToolInvocationError`. Interrupts, aborts and short errors that are one already stay as they are.
 */
export function asToolError(
  error: unknown,
  request: Pick<ToolCallRequest, "toolCall" | "runtime">,
): unknown {
  if (isGraphBubbleUp(error) || request.runtime.signal?.aborted) return error;
  if (ToolInvocationError.isInstance(error)) {
    if (cutError(error.message) === error.message) return error;
    // Its message repeats the arguments, which may be data in place of a reference.
    const short = new ToolInvocationError(error.toolError, request.toolCall);
    short.message = cutError(short.message);
    return short;
  }
  const shown = new ToolInvocationError(error, request.toolCall);
  // The class's own message carries the stack; the model gets what an agent without middleware says.
  shown.message = `${cutError(String(error))}\n Please fix your mistakes.`;
  shown.cause = error;
  return shown;
}
