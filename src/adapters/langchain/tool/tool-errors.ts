import { isGraphBubbleUp } from "@langchain/langgraph";
import { ToolInvocationError, type ToolCallRequest } from "langchain";

import { cutError } from "./cut-error.js";

/**
 * The error to throw for a tool that threw. An agent without middleware shows a tool's error to the
 * model and goes on; with any `wrapToolCall` the same error ends the run, unless it is a
 * `ToolInvocationError`. So the error becomes one and stays the object it is: middleware around this one still knows
 * it by its class. Interrupts, aborts and short errors that are one already stay as they are.
 */
export function asToolError(
  error: unknown,
  { toolCall, runtime }: Pick<ToolCallRequest, "toolCall" | "runtime">,
): unknown {
  if (isGraphBubbleUp(error) || runtime.signal?.aborted) return error;
  if (ToolInvocationError.isInstance(error)) {
    const isOfModel = ours.has(error) || error.toolCall.args === toolCall.args;
    if (isOfModel && cutError(error.message) === error.message) return error;
    // Its message repeats the arguments, which may be data in place of a reference: here are those of the model.
    const { message } = new ToolInvocationError(error.toolError, toolCall);
    return withProperties(error, { message: cutError(message), toolCall });
  }
  // What an agent without middleware says; the message of the class carries the stack.
  const message = `${cutError(String(error))}\n Please fix your mistakes.`;
  if (error instanceof Error && Object.isExtensible(error)) {
    return withProperties(error, {
      message,
      toolCall,
      toolError: error,
      [BRAND]: "ToolInvocationError",
    });
  }
  const shown = new ToolInvocationError(error, toolCall);
  return Object.assign(shown, { message, cause: error });
}

/** Errors that say what they say by this module; a tool may throw the same one again, in another call. */
const ours = new WeakSet<Error>();

/** By which LangChain knows its own errors, whichever copy of the package made them. */
const BRAND = "~brand";

function withProperties(error: Error, properties: Readonly<Record<string, unknown>>): Error {
  for (const [name, value] of Object.entries(properties)) {
    // Not enumerable, as an error's message is: whoever prints the error does not print them.
    Object.defineProperty(error, name, { value, writable: true, configurable: true });
  }
  ours.add(error);
  return error;
}
