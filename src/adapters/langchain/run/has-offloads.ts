import { fieldOf } from "../../../util/field-of.js";
import { isRecord } from "../../../util/is-record.js";
import { markedResult } from "../aging/messages/marked-results.js";
import { carriedBy } from "./conversation-scope.js";
import { messagesOf } from "./state-messages.js";

/**
 * Whether something was offloaded in the conversation that an agent's state holds: by what is noted there, and by what its
 * messages carry. Those alone know of it where a tool is wrapped by `withOffload`, and where the application hands in the
 * messages of an earlier run.
 */
export function hasOffloads(state: unknown): boolean {
  const noted = fieldOf(state, "_offloads");
  if (isRecord(noted) && Object.keys(noted).length > 0) return true;
  return messagesOf(state).some(
    (message) => carriedBy(message).length > 0 || markedResult(message) !== undefined,
  );
}
