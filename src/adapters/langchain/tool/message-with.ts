import { ToolMessage } from "@langchain/core/messages";

/** The same message with other fields. */
export function messageWith(
  message: ToolMessage,
  fields: Partial<Pick<ToolMessage, "content" | "artifact" | "response_metadata">>,
): ToolMessage {
  return new ToolMessage({
    content: message.content,
    tool_call_id: message.tool_call_id,
    artifact: message.artifact,
    additional_kwargs: message.additional_kwargs,
    response_metadata: message.response_metadata,
    ...(message.id !== undefined && { id: message.id }),
    ...(message.name !== undefined && { name: message.name }),
    ...(message.status !== undefined && { status: message.status }),
    ...(message.metadata !== undefined && { metadata: message.metadata }),
    ...fields,
  });
}
