import type { BaseMessage } from "@langchain/core/messages";

import { lostSentence } from "../../../core/drill-in/gone.js";
import type { CoreApi } from "../../../core/plugin-host/plugin-host.js";
import type { ReadableArguments } from "../../../core/types/plugin.js";
import { artifactIdIn } from "../../../core/store/naming.js";
import { isRecord } from "../../../util/is-record.js";
import { keepLatest } from "../../../util/keep-latest.js";
import { scopeOfCall } from "../run/reading-call.js";
import { idsIn, messagesOf, type RunSite, sessionOfTool } from "../run/session.js";
import { answeredCalls, markedResult, type MarkedResult, markedResults } from "./messages.js";

const MAX_IDS = 1_000;

/** Sees to it that an aged result can be read, where a call names one. Never rejects. */
type Restore = (place: RunSite, args: unknown) => Promise<ReadableArguments>;

/** Makes what stores again, from the state, what the store has lost, or has for another session alone. */
export function createRestoring(api: CoreApi): Restore {
  /** What is stored again right now, by id and session: calls of one turn that name the same wait for one storing. */
  const underWay = new Map<string, Promise<string | undefined>>();
  /** Ids of what was stored again under another one. */
  const ids = new Map<string, string>();
  return async (place, args) => {
    const named = idsIn(args);
    // Most calls name nothing, and a conversation is long.
    const marks = named.length === 0 ? [] : markedResults(messagesOf(place.state));
    const marked = marks.find(({ id }) => named.includes(id));
    if (marked === undefined) return { args };
    const key = `${marked.id} ${sessionOfTool(place)}`;
    try {
      const restore = (): Promise<string | undefined> =>
        restored(api, place, marked, {
          id: ids.get(key) ?? marked.id,
          rename: (id) => keepLatest(ids, key, id, MAX_IDS),
        }).finally(() => underWay.delete(key));
      const begun = underWay.get(key) ?? restore();
      underWay.set(key, begun);
      const lost = await begun;
      const id = ids.get(key);
      return { args: id === undefined ? args : renamed(args, marked.id, id), lost };
    } catch {
      // The reading itself says what is wrong with the store.
      return { args };
    }
  };
}

/** Stores a result from the state where it is not in reach, under a fresh id where another session has its own. */
async function restored(
  { store: stored, keepAsCame, drillIns }: CoreApi,
  place: RunSite,
  marked: MarkedResult,
  known: { readonly id: string; readonly rename: (id: string) => void },
): Promise<string | undefined> {
  const { store } = drillIns();
  const scope = await scopeOfCall(store, place, { id: known.id });
  const isThere = scope !== undefined && (await store.stat(known.id, scope)) !== undefined;
  const sessionId = sessionOfTool(place);
  const { id, toolName, toolCallId } = marked;
  // What was stored at birth stood nowhere else; the sentence for it tells how it is made again.
  if (isThere || sessionId === undefined || marked.isBornStored) return undefined;
  const text = marked.text();
  if (text === undefined) return lostSentence({ name: id, toolName }, "is not stored any more");
  const about = { text, toolName, toolCallId, sessionId, isOnlyCopy: false };
  const result = { ...about, args: argsOf(messagesOf(place.state), id) };
  try {
    // One that has expired may still be there. A message may only say that another session's is its own.
    if (scope === marked.scope) await stored.delete(id, scope);
    await keepAsCame({ ...result, id });
  } catch {
    const { storedArtifact } = await keepAsCame(result);
    known.rename(storedArtifact.id);
  }
  return undefined;
}

/** The arguments of the call that made what has this id. */
function argsOf(
  messages: readonly BaseMessage[],
  id: string,
): Readonly<Record<string, unknown>> | undefined {
  const message = messages.find((one) => markedResult(one)?.id === id);
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
