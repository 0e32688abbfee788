import { ToolMessage } from "@langchain/core/messages";

/** What went wrong, as the answer to a tool call. */
export function failureMessage(content: string, name: string, toolCallId: string): ToolMessage {
  return new ToolMessage({ content, name, tool_call_id: toolCallId, status: "error" });
}
