import { isGraphBubbleUp } from "@langchain/langgraph";
import { ToolInvocationError, type ToolCallRequest } from "langchain";

/**
 * The error to throw for a tool that threw. An agent without middleware shows a tool's error to the
 * model and goes on; with any `wrapToolCall` the same error ends the run, unless it is a
 * `ToolInvocationError`. Interrupts, aborts and errors that are one already stay as they are.
 */
export function asToolError(
  error: unknown,
  request: Pick<ToolCallRequest, "toolCall" | "runtime">,
): unknown {
  if (
    isGraphBubbleUp(error) ||
    ToolInvocationError.isInstance(error) ||
    request.runtime.signal?.aborted
  ) {
    return error;
  }
  const shown = new ToolInvocationError(error, request.toolCall);
  // The class's own message carries the stack; the model gets what an agent without middleware says.
  shown.message = `${String(error)}\n Please fix your mistakes.`;
  shown.cause = error;
  return shown;
}
