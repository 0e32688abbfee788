import { ToolMessage } from "@langchain/core/messages";

import { internals, type Offloader } from "../../../offload/offloader.js";
import type { RunSite } from "../run/call-site.js";
import { grantsOf } from "../run/grant.js";
import { sessionOfTool } from "../run/session.js";
import { messagesOf } from "../run/state-messages.js";
import { callsById } from "./mark-batch.js";
import { type MarkedResult, markedIn } from "./messages/marked-in.js";
import { resultText } from "./messages/result-text.js";

/**
 * Sees to it that an aged result can be read, where a call names one: what the store has lost is stored again from the state,
 * under its old id. Gives the sentence for the model where the state holds it no more. Never rejects.
 *
 * @param args - What the model passed, unchecked.
 */
export async function restoreAged(
  offloader: Offloader,
  place: RunSite,
  args: unknown,
): Promise<string | undefined> {
  const marked = markedIn(place.state, args);
  if (marked === undefined) return undefined;
  try {
    if ((await offloader.store.stat(marked.id, marked.scope)) !== undefined) return undefined;
    return await storedAgain(offloader, place, marked);
  } catch {
    // The reading itself says what is wrong with the store.
    return undefined;
  }
}

async function storedAgain(
  offloader: Offloader,
  place: RunSite,
  { message, mark, id, scope }: MarkedResult,
): Promise<string | undefined> {
  const sessionId = sessionOfTool(place);
  if (!ToolMessage.isInstance(message) || sessionId === undefined) return undefined;
  // What was stored at birth stood nowhere else; the sentence for it tells how it is made again.
  if (Object.hasOwn(grantsOf([message]), id)) return undefined;
  const text = mark.replaced ? undefined : resultText(message);
  if (text === undefined) return goneSentence(message);
  const call = callsById(messagesOf(place.state)).get(message.tool_call_id);
  // One that has expired may still be there.
  await offloader.store.delete(id, scope);
  await internals(offloader).keepResult({
    id,
    text,
    toolName: message.name ?? call?.name ?? "tool",
    toolCallId: message.tool_call_id,
    args: call?.args,
    sessionId,
    isOnlyCopy: false,
  });
  return undefined;
}

function goneSentence({ name = "a tool" }: ToolMessage): string {
  return (
    `This result of ${name.slice(0, 64)} has left the conversation and is not stored any more. What it said can be had only where ` +
    "asking for it again changes nothing."
  );
}
