import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";

import { shownTokens } from "../../../../core/content/media/shown-media.js";
import { type AgingItem, LEAST_RESULT_TOKENS } from "../../../../plugins/aging/choose-stale.js";
import { messageTokens } from "../../model-call/message-tokens.js";
import { isCleared, markOf, MAX_STUB_TOKENS } from "./mark.js";
import { isAllText } from "./result-text.js";

/**
 * A message as the policy sees it.
 *
 * @param message - As the model is shown it.
 */
export function itemOf(
  message: BaseMessage,
  isAdmitted: (message: ToolMessage) => boolean,
): AgingItem {
  const tokens = messageTokens(message);
  if (AIMessage.isInstance(message)) return { role: "answer", tokens };
  if (!ToolMessage.isInstance(message)) return { role: "other", tokens };
  const mayLeave =
    tokens >= LEAST_RESULT_TOKENS &&
    message.status !== "error" &&
    message.id !== undefined &&
    markOf(message) === undefined &&
    !isCleared(message) &&
    (isAllText(message) || shownTokens(message) !== undefined) &&
    isAdmitted(message);
  return { role: "result", tokens, agedTokens: mayLeave ? MAX_STUB_TOKENS : undefined };
}
