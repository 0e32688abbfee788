import { type BaseMessage, ToolMessage } from "@langchain/core/messages";

import type { OffloadListener } from "../../../events.js";

/** A conversation in front of a model call. */
export interface ModelCall {
  /** As others hand them on; what they show otherwise than the state has it never leaves. */
  readonly messages: readonly BaseMessage[];
  /** As the state has them. */
  readonly stateMessages: readonly BaseMessage[];
  readonly sessionId: string | undefined;
  readonly windowTokens: number | undefined;
  /** Told of what leaves, beside the offloader's listeners. */
  readonly onEvent?: OffloadListener | undefined;
}

/** Finds messages as the state has them: only those that others show as they are. */
export function stateVersions({
  stateMessages,
}: ModelCall): (message: BaseMessage | undefined) => BaseMessage | undefined {
  const byId = new Map(stateMessages.map((message) => [message.id, message]));
  return (message) => {
    const same = byId.get(message?.id);
    if (same === undefined || message === same) return same;
    // Of a copy, all of a result is its content; a model's answer is more than that.
    return ToolMessage.isInstance(same) && same.content === message?.content ? same : undefined;
  };
}
