import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";

/** A message as a player is shown it. */
export interface MessageView {
  readonly role: string;
  readonly content: string;
  /** The tool that answered. */
  readonly tool?: string;
  /** Calls that the model made. */
  readonly calls?: readonly { readonly tool: string; readonly args: object }[];
}

/** A conversation as a model is sent it. */
export function messageViews(messages: readonly BaseMessage[]): MessageView[] {
  const names = new Map<string, string>();
  return messages.map((message): MessageView => {
    const view = { role: message.type, content: message.text };
    if (ToolMessage.isInstance(message)) {
      const tool = message.name ?? names.get(message.tool_call_id);
      return tool === undefined ? view : { ...view, tool };
    }
    const calls = AIMessage.isInstance(message) ? (message.tool_calls ?? []) : [];
    for (const { id, name } of calls) names.set(id ?? "", name);
    if (calls.length === 0) return view;
    return { ...view, calls: calls.map(({ name, args }) => ({ tool: name, args })) };
  });
}

/** What the tools have answered since the model's last message. */
export function lastAnswers(messages: readonly BaseMessage[]): string[] {
  const last = messages.findLastIndex(({ type }) => type === "ai");
  return messages
    .slice(last + 1)
    .filter(({ type }) => type === "tool")
    .map(({ text }) => text);
}
