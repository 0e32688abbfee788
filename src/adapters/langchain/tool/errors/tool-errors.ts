import { isGraphBubbleUp } from "@langchain/langgraph";
import { MiddlewareError, ToolInvocationError, type ToolCallRequest } from "langchain";

import { aroundCall, type ToolLike } from "../around-call.js";
import { cutError } from "./cut-error.js";
import { copyOf, errorWith } from "./own-error.js";

/**
 * The error to throw for a tool that threw. An agent without middleware shows a tool's error to the
 * model and goes on; with any `wrapToolCall` the same error ends the run, unless a `ToolInvocationError` is at the end
 * of a chain of `MiddlewareError`s. So the error begins such a chain: middleware around this one finds its class, message
 * and properties as they came, and its cause in all but the message, which is what the model is told.
 * Interrupts, aborts and short errors that are one already stay as they are, and so does what a middleware threw of its
 * own accord: that ends a run in LangChain.
 */
export function asToolError(
  error: unknown,
  { toolCall, runtime }: Pick<ToolCallRequest, "toolCall" | "runtime">,
): unknown {
  if (isGraphBubbleUp(error) || runtime.signal?.aborted) return error;
  const thrown = rootOf(error);
  if (ToolInvocationError.isInstance(thrown)) {
    const isOfModel = thrown.toolCall.args === toolCall.args;
    if (isOfModel && cutError(thrown.message) === thrown.message) return error;
    // Its message repeats the arguments, which may be data in place of a reference: here are those of the model.
    const { message } = new ToolInvocationError(thrown.toolError, toolCall);
    return errorWith(thrown, { message: cutError(message), toolCall });
  }
  if (thrown !== error) return error;
  // What an agent without middleware says; the message of the class carries the stack.
  const message = `${cutError(String(error))}\n Please fix your mistakes.`;
  if (error instanceof Error) {
    const cause = error.cause instanceof Error ? error.cause : error;
    const told = errorWith(copyOf(cause), {
      message,
      toolCall,
      toolError: error,
      [BRAND]: "ToolInvocationError",
    });
    return errorWith(error, { cause: told, [BRAND]: "MiddlewareError" });
  }
  const shown = new ToolInvocationError(error, toolCall);
  return Object.assign(shown, { message, cause: error });
}

/** The same tool, which throws what it throws without its middle when that is long, and interrupts as they are. */
export function throwingShort<Tool extends ToolLike>(tool: Tool): Tool {
  return aroundCall(tool, ["invoke", "call"], async ({ run }) => {
    try {
      return await run();
    } catch (error) {
      if (isGraphBubbleUp(error) || !(error instanceof Error)) throw error;
      const message = cutError(error.message);
      // LangChain shows the stack of wrong arguments, which has the message in it.
      throw message === error.message
        ? error
        : errorWith(error, { message, stack: error.stack && cutError(error.stack) });
    }
  });
}

/** By which LangChain knows its own errors, whichever copy of the package made them. */
const BRAND = "~brand";

/** What a middleware threw, out of what LangChain puts around it; any other error is its own root. */
function rootOf(error: unknown): unknown {
  let root = error;
  while (MiddlewareError.isInstance(root)) root = root.cause;
  return root;
}
