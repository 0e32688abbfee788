import { type BaseMessage, ToolMessage } from "@langchain/core/messages";

import { scopesIn } from "../../run/carried.js";
import { idsIn } from "../../run/session.js";
import { messagesOf } from "../../run/state-messages.js";
import { markOf, storedBy } from "./mark.js";
import { resultText } from "./result-text.js";

/** A result that has left the context, and where it is stored. */
export interface MarkedResult {
  readonly id: string;
  readonly scope: string;
  readonly toolName: string;
  readonly toolCallId: string;
  /** It as the message still has it; `undefined` where the message holds it no more. */
  readonly text: () => string | undefined;
  /** It was stored when it came, and the message never held it. */
  readonly isBornStored: boolean;
}

/** What the mark of a message names; `undefined` without one, and where it names nothing that is stored. */
export function markedResult(message: BaseMessage): MarkedResult | undefined {
  const mark = markOf(message);
  const stored = mark && storedBy(mark);
  if (stored === undefined || !ToolMessage.isInstance(message)) return undefined;
  const { name: toolName = "tool", tool_call_id: toolCallId } = message;
  const text = (): string | undefined => (mark?.replaced ? undefined : resultText(message));
  const isBornStored = Object.hasOwn(scopesIn([message]), stored.id);
  return { ...stored, toolName, toolCallId, text, isBornStored };
}

/** What the marks of these messages name. */
export function markedResults(messages: readonly BaseMessage[]): MarkedResult[] {
  return messages.flatMap((message) => markedResult(message) ?? []);
}

/**
 * What a call names and a mark of the conversation has.
 *
 * @param args - What the model passed, unchecked.
 */
export function markedIn(state: unknown, args: unknown): MarkedResult | undefined {
  const ids = idsIn(args);
  if (ids.length === 0) return undefined;
  return markedResults(messagesOf(state)).find(({ id }) => ids.includes(id));
}
