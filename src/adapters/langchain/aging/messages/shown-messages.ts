import { type BaseMessage, ToolMessage } from "@langchain/core/messages";
import { countTokensApproximately } from "langchain";

import { messageWith } from "../../tool/message-with.js";
import { markOf } from "./mark.js";

/** What is shown of a message, so that each is made once. */
const shown = new WeakMap<BaseMessage, BaseMessage>();

/**
 * The conversation as the model sees it: a line stands where a result has left. Always a new list, since others change theirs in
 * place; its order, its ids and its pairs of call and result are those of the state.
 */
export function shownMessages(messages: readonly BaseMessage[]): BaseMessage[] {
  return messages.map((message) => shownMessage(message));
}

/** What is shown of one message: the same object where that is all of it. */
function shownMessage(message: BaseMessage): BaseMessage {
  const content = markOf(message)?.stub;
  const isOwn = content === undefined || message.content === content;
  if (isOwn || !ToolMessage.isInstance(message)) return message;
  const known = shown.get(message) ?? messageWith(message, { content });
  shown.set(message, known);
  return known;
}

/**
 * Counts the tokens of a conversation as the model sees it, approximately, as LangChain does: for the `tokenCounter` of
 * `summarizationMiddleware`, which otherwise counts what has left the context too.
 */
export function countShownTokens(messages: readonly BaseMessage[]): number {
  return countTokensApproximately(shownMessages(messages));
}
