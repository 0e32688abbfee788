import { AIMessage, type BaseMessage } from "@langchain/core/messages";

import { fieldOf } from "../../../util/field-of.js";

/** Tokens that a provider counted for an answer and all before it; `undefined` where it says nothing. */
export function usageOf(message: BaseMessage | undefined): number | undefined {
  const usage = AIMessage.isInstance(message) ? fieldOf(message, "usage_metadata") : undefined;
  const [read, written] = [fieldOf(usage, "input_tokens"), fieldOf(usage, "output_tokens")];
  return typeof read === "number" && typeof written === "number" ? read + written : undefined;
}
