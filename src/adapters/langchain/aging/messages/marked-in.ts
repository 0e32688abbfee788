import { type BaseMessage } from "@langchain/core/messages";

import { idsIn } from "../../run/session.js";
import { messagesOf } from "../../run/state-messages.js";
import { type AgedMark, markOf, storedBy } from "./mark.js";

/** A result of the conversation that has left the context, and where it is stored. */
export interface MarkedResult {
  readonly message: BaseMessage;
  readonly mark: AgedMark;
  readonly id: string;
  readonly scope: string;
}

/**
 * The result that a call names and a mark of the conversation has.
 *
 * @param args - What the model passed, unchecked.
 */
export function markedIn(state: unknown, args: unknown): MarkedResult | undefined {
  const ids = idsIn(args);
  if (ids.length === 0) return undefined;
  for (const message of messagesOf(state)) {
    const mark = markOf(message);
    const stored = mark && storedBy(mark);
    if (mark && stored && ids.includes(stored.id)) return { message, mark, ...stored };
  }
  return undefined;
}
