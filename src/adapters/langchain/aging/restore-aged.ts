import { lostSentence } from "../../../drill-in/sentences/gone-sentence.js";
import { internals, type Offloader } from "../../../offload/offloader.js";
import { scopeOfCall } from "../run/call-scope.js";
import type { RunSite } from "../run/call-site.js";
import { sessionOfTool } from "../run/session.js";
import { messagesOf } from "../run/state-messages.js";
import { callsById } from "./mark-batch.js";
import { markedIn } from "./messages/marked-in.js";
import type { MarkedValue } from "./messages/marked-values.js";

/** What is stored again right now, by id and session: calls of one turn that name the same wait for one storing. */
const underWay = new WeakMap<Offloader, Map<string, Promise<string | undefined>>>();

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
    return await once(offloader, `${marked.id} ${sessionOfTool(place)}`, async () => {
      const { store } = internals(offloader).drillInContext;
      if ((await store.stat(marked.id, marked.scope)) !== undefined) return undefined;
      return await storedAgain(offloader, place, marked);
    });
  } catch {
    // The reading itself says what is wrong with the store.
    return undefined;
  }
}

/** The scope in which a call may look for the output of an id, which is there again if the state still has it. */
export async function restoredScope(
  offloader: Offloader,
  place: RunSite,
  id: string,
): Promise<string | undefined> {
  await restoreAged(offloader, place, { id });
  return await scopeOfCall(internals(offloader).drillInContext.store, place, { id });
}

async function once(
  offloader: Offloader,
  key: string,
  restore: () => Promise<string | undefined>,
): Promise<string | undefined> {
  const restoring = underWay.get(offloader) ?? new Map<string, Promise<string | undefined>>();
  underWay.set(offloader, restoring);
  const begun = restoring.get(key) ?? restore().finally(() => restoring.delete(key));
  restoring.set(key, begun);
  return await begun;
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
  if (text === undefined) return lostSentence({ name: id, toolName }, "is not stored any more");
  const args = callsById(messagesOf(place.state)).get(toolCallId)?.args;
  // One that has expired may still be there.
  await offloader.store.delete(id, scope);
  const about = { toolName, toolCallId, args, sessionId, isOnlyCopy: false };
  await internals(offloader).keepResult({ ...about, id, text });
  return undefined;
}
