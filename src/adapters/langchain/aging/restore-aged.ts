import type { BaseMessage } from "@langchain/core/messages";

import { lostSentence } from "../../../core/drill-in/sentences/gone-sentence.js";
import type { CoreApi } from "../../../core/plugin-host/plugin-host.js";
import type { ReadableArguments } from "../../../core/types/plugin.js";
import { artifactIdIn } from "../../../core/store/naming.js";
import { isRecord } from "../../../util/is-record.js";
import { keepLatest } from "../../../util/keep-latest.js";
import { scopeOfCall } from "../run/reading-call.js";
import { messagesOf, type RunSite, sessionOfTool } from "../run/session.js";
import {
  answeredCalls,
  markedIn,
  markedResult,
  type MarkedResult,
  markedResults,
} from "./messages.js";
import type { Offloader } from "../../../core/pipeline/offloader.js";
import { inLanes } from "../../../util/slices.js";

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
    const marked = markedIn(place.state, args);
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

/** A conversation that nobody has continued for so long has to expect that its aged results are gone, in milliseconds. */
const THREAD_LIFE_MS = 30 * 86_400_000;
/** Lives are prolonged once in so long, in milliseconds. */
const BETWEEN_MS = 86_400_000;
/** Outputs of which it is known that they live long enough. */
const MAX_KNOWN = 100_000;
const AT_ONCE = 8;

/** Lets what the marks of a conversation name live as long as the conversation, where nothing else holds it. */
export interface Prolonging {
  /** How long what is stored has to live at least; `undefined` where the state holds it too. */
  readonly lifeMs: number | undefined;
  /** Never rejects. */
  prolong(messages: readonly BaseMessage[]): Promise<void>;
}

/** Creates it for an offloader's conversations. */
export function createProlonging(
  { store, options }: Offloader,
  mode: "mark" | "replace",
): Prolonging {
  if (mode !== "replace") return { lifeMs: undefined, prolong: async () => {} };
  const lifeMs = Math.max(options.ttlMs, THREAD_LIFE_MS);
  const known = new Map<string, number>();

  return {
    lifeMs,
    async prolong(messages) {
      const nowMs = options.now();
      const due = markedResults(messages).filter(({ id }) => (known.get(id) ?? 0) <= nowMs);
      await inLanes(due, AT_ONCE, async ({ id, scope }) => {
        try {
          const isMoved = await store.refresh?.(id, scope, nowMs + lifeMs);
          // Another call may have been about to move it, and to an earlier time.
          const found = isMoved === true ? undefined : await store.stat(id, scope);
          if (found !== undefined && found.expiresAt < nowMs + lifeMs - BETWEEN_MS) return;
          keepLatest(known, id, nowMs + BETWEEN_MS, MAX_KNOWN);
        } catch {
          // The next call tries again; it has a life of weeks left.
        }
      });
    },
  };
}
