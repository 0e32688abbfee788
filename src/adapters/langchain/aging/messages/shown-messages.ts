import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";
import { countTokensApproximately } from "langchain";

import { agedArgumentsOf } from "../arguments/aged-arguments.js";
import { argumentOf } from "../arguments/argument-of.js";
import { withArguments } from "../arguments/with-arguments.js";
import { messageWith } from "../../tool/message-with.js";
import { ledgerOf, markOf, OWN_METADATA } from "./mark.js";

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
  // Most messages carry nothing of this library.
  if (message.response_metadata?.[OWN_METADATA] === undefined) return message;
  const known = shown.get(message);
  if (known !== undefined) return known;
  const made = makeShown(message);
  shown.set(message, made);
  return made;
}

function makeShown(message: BaseMessage): BaseMessage {
  if (AIMessage.isInstance(message)) {
    const aged = agedArgumentsOf(message);
    const isThere = aged.some((one) => argumentOf(message, one) !== one.stub);
    return isThere ? (withArguments(message, aged) ?? message) : message;
  }
  const content = contentOf(message);
  const isOwn = content === undefined || message.content === content;
  return isOwn || !ToolMessage.isInstance(message) ? message : messageWith(message, { content });
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
