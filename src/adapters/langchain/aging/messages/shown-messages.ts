import { type BaseMessage, ToolMessage } from "@langchain/core/messages";
import { countTokensApproximately } from "langchain";

import { ledgerOf, markOf, withContent } from "./mark.js";

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
export function shownMessage(message: BaseMessage): BaseMessage {
  const content = contentOf(message);
  if (content === undefined || !ToolMessage.isInstance(message)) return message;
  const known = shown.get(message);
  if (known !== undefined) return known;
  const made = message.content === content ? message : withContent(message, content);
  shown.set(message, made);
  return made;
}

/** What is shown in place of a message's own content; `undefined` where that is shown. */
function contentOf(message: BaseMessage): ToolMessage["content"] | undefined {
  const stub = markOf(message)?.stub;
  if (stub !== undefined) return stub;
  const ledger = ledgerOf(message);
  if (ledger === undefined) return undefined;
  const { content } = message;
  return typeof content === "string"
    ? `${content}\n\n${ledger}`
    : [...content, { type: "text", text: ledger }];
}

/**
 * Counts the tokens of a conversation as the model sees it, approximately, as LangChain does: for the `tokenCounter` of
 * `summarizationMiddleware`, which otherwise counts what has left the context too.
 */
export function countShownTokens(messages: readonly BaseMessage[]): number {
  return countTokensApproximately(shownMessages(messages));
}
