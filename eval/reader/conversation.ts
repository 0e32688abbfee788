import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";

/** A tool call, with its answer. */
export interface Exchange {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly answer: string;
}

/** What a conversation holds: the last question and the tool calls since it. */
export interface Conversation {
  readonly prompt: string;
  readonly exchanges: readonly Exchange[];
}

/** Reads a conversation as a model is sent it. */
export function conversationIn(messages: readonly BaseMessage[]): Conversation {
  const start = messages.findLastIndex((message) => message.type === "human");
  const answers = new Map<string, string>();
  for (const message of messages.slice(start + 1)) {
    if (ToolMessage.isInstance(message)) answers.set(message.tool_call_id, message.text);
  }
  const exchanges = messages.slice(start + 1).flatMap((message) =>
    AIMessage.isInstance(message)
      ? (message.tool_calls ?? []).map(({ id, name, args }) => ({
          name,
          args,
          answer: answers.get(id ?? "") ?? "",
        }))
      : [],
  );
  return { prompt: messages[start]?.text ?? "", exchanges };
}
