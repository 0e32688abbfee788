import { internals, type Offloader } from "../../../offload/offloader.js";
import type { RunSite } from "../run/call-site.js";
import { sessionOfTool } from "../run/session.js";
import { messagesOf } from "../run/state-messages.js";
import { callsById } from "./mark-batch.js";
import { markedIn } from "./messages/marked-in.js";
import type { MarkedValue } from "./messages/marked-values.js";

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
  marked: MarkedValue,
): Promise<string | undefined> {
  const { id, scope, toolName, toolCallId } = marked;
  const sessionId = sessionOfTool(place);
  // What was stored at birth stood nowhere else; the sentence for it tells how it is made again.
  if (sessionId === undefined || marked.isBornStored) return undefined;
  const text = marked.text();
  if (text === undefined) return goneSentence(toolName);
  const args = callsById(messagesOf(place.state)).get(toolCallId)?.args;
  // One that has expired may still be there.
  await offloader.store.delete(id, scope);
  const about = { toolName, toolCallId, args, sessionId, isOnlyCopy: false };
  await internals(offloader).keepResult({ ...about, id, text });
  return undefined;
}

function goneSentence(toolName: string): string {
  return (
    `This part of a call of ${toolName.slice(0, 64)} has left the conversation and is not stored any more. What it said can be had only where ` +
    "asking for it again changes nothing."
  );
}
