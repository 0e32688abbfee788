import { AIMessage, type BaseMessage } from "@langchain/core/messages";

import { isRecord } from "../../../../util/is-record.js";

/** The value of an argument, where it is a text and the message has it. */
export function argumentOf(
  message: BaseMessage,
  { callId, parameter }: { readonly callId: string; readonly parameter: string },
): string | undefined {
  if (!AIMessage.isInstance(message)) return undefined;
  const call = message.tool_calls?.find(({ id }) => id === callId);
  const value = isRecord(call?.args) ? call.args[parameter] : undefined;
  return typeof value === "string" ? value : undefined;
}
