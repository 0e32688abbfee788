import type { BaseMessage } from "@langchain/core/messages";

import { lostSentence } from "../../../drill-in/sentences/gone-sentence.js";
import { internals, type Offloader } from "../../../offload/offloader.js";
import { artifactIdIn, scopeOf } from "../../../store/naming.js";
import { isRecord } from "../../../util/is-record.js";
import { keepLatest } from "../../../util/keep-latest.js";
import { scopeOfCall } from "../run/call-scope.js";
import type { RunSite } from "../run/call-site.js";
import { givenSession, grantIn, sessionOfTool } from "../run/session.js";
import { messagesOf } from "../run/state-messages.js";
import { answeredCalls } from "./messages/answered-calls.js";
import { markedIn } from "./messages/marked-in.js";
import { type MarkedValue, markedValues } from "./messages/marked-values.js";

/** What a call goes on with. */
interface Restored {
  /** With the id that a result has now in place of the one that its line names. */
  readonly args: unknown;
  /** The sentence for the model where the state holds the result no more. */
  readonly lost?: string | undefined;
}

/** What restoring an offloader's results knows. */
interface Restoring {
  /** What is stored again right now, by id and session: calls of one turn that name the same wait for one storing. */
  readonly underWay: Map<string, Promise<Restored>>;
  /** Ids of what was stored again under another one. */
  readonly ids: Map<string, string>;
}

const MAX_IDS = 1_000;
const ofOffloaders = new WeakMap<Offloader, Restoring>();

/**
 * Sees to it that an aged result can be read, where a call names one: what the store has lost, or has for another session
 * alone, is stored again from the state. Never rejects.
 *
 * @param args - What the model passed, unchecked.
 */
export async function restoreAged(
  offloader: Offloader,
  place: RunSite,
  args: unknown,
): Promise<Restored> {
  const marked = markedIn(place.state, args);
  if (marked === undefined) return { args };
  const restoring = ofOffloaders.get(offloader) ?? { underWay: new Map(), ids: new Map() };
  ofOffloaders.set(offloader, restoring);
  const sessionId = sessionOfTool(place);
  const key = `${marked.id} ${sessionId}`;
  const { underWay, ids } = restoring;
  const restore = async (): Promise<Restored> => {
    if (await isInReach(offloader, place, ids.get(key) ?? marked.id)) return { args };
    if (sessionId === undefined) return { args };
    const restored = await storedAgain(offloader, place, { sessionId, marked });
    if (restored.id !== undefined) keepLatest(ids, key, restored.id, MAX_IDS);
    return { args, lost: restored.lost };
  };
  try {
    const begun = underWay.get(key) ?? restore().finally(() => underWay.delete(key));
    underWay.set(key, begun);
    const { lost } = await begun;
    const id = ids.get(key);
    return { args: id === undefined ? args : renamed(args, marked.id, id), lost };
  } catch {
    // The reading itself says what is wrong with the store.
    return { args };
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

async function isInReach(offloader: Offloader, place: RunSite, id: string): Promise<boolean> {
  const { store } = internals(offloader).drillInContext;
  const scope = await scopeOfCall(store, place, { id });
  return scope !== undefined && (await store.stat(id, scope)) !== undefined;
}

/** Stores a result from the state, under a fresh id where another session has its own. */
async function storedAgain(
  offloader: Offloader,
  place: RunSite,
  { sessionId, marked }: { readonly sessionId: string; readonly marked: MarkedValue },
): Promise<{ readonly id?: string; readonly lost?: string }> {
  const { id, scope, toolName, toolCallId } = marked;
  // What was stored at birth stood nowhere else; the sentence for it tells how it is made again.
  if (marked.isBornStored) return {};
  const text = marked.text();
  if (text === undefined)
    return { lost: lostSentence({ name: id, toolName }, "is not stored any more") };
  const about = { text, toolName, toolCallId, sessionId, isOnlyCopy: false };
  const result = { ...about, args: argsOf(messagesOf(place.state), id) };
  const { keepResult } = internals(offloader);
  try {
    // One that has expired may still be there.
    if (isOwn(place, marked)) await offloader.store.delete(id, scope);
    await keepResult({ ...result, id });
    return {};
  } catch {
    const { storedArtifact } = await keepResult(result);
    return { id: storedArtifact.id };
  }
}

/** Whether what a mark names is the conversation's, and not only said to be by a message. */
function isOwn(place: RunSite, { id, scope }: MarkedValue): boolean {
  const sessionId = givenSession(place);
  if (sessionId === undefined || scope === scopeOf(sessionId)) return true;
  return grantIn(place.state, { id })?.scope === scope;
}

/** The arguments of the call that made what has this id. */
function argsOf(
  messages: readonly BaseMessage[],
  id: string,
): Readonly<Record<string, unknown>> | undefined {
  const message = messages.find((one) => markedValues(one).some((value) => value.id === id));
  return message && answeredCalls(messages).get(message)?.args;
}

/** What a model has passed, with another id. */
function renamed(args: unknown, id: string, other: string): unknown {
  if (!isRecord(args)) return args;
  const entries = Object.entries(args).map(([name, value]): [string, unknown] => {
    const isNamed = typeof value === "string" && artifactIdIn(value) === id;
    return [name, isNamed ? other : value];
  });
  return Object.fromEntries(entries);
}
