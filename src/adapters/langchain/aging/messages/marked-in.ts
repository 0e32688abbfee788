import { idsIn } from "../../run/session.js";
import { messagesOf } from "../../run/state-messages.js";
import { type MarkedValue, markedValues } from "./marked-values.js";

/**
 * What a call names and a mark of the conversation has.
 *
 * @param args - What the model passed, unchecked.
 */
export function markedIn(state: unknown, args: unknown): MarkedValue | undefined {
  const ids = idsIn(args);
  if (ids.length === 0) return undefined;
  for (const message of messagesOf(state)) {
    const named = markedValues(message).find(({ id }) => ids.includes(id));
    if (named !== undefined) return named;
  }
  return undefined;
}
