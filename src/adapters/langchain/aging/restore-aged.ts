import { lostSentence } from "../../../core/drill-in/find.js";
import type { CoreParts } from "../../../core/plugin-host/plugin-host.js";
import type { ReadableArguments } from "../../../core/types/plugin.js";
import { artifactIdIn, sessionKeyOf } from "../../../core/store/naming.js";
import { isRecord } from "../../../util/is-record.js";
import { sessionKeyOfCall } from "../run/reading-call.js";
import { idsIn, messagesOf, type RunSite, sessionOfTool } from "../run/session.js";
import { sessionKeysIn } from "../run/carried.js";
import {
  answeredCalls,
  calledTool,
  type MarkedResult,
  markedResults,
  markOf,
  resultText,
  keptAs,
} from "./messages.js";

type Restore = (place: RunSite, args: unknown) => Promise<ReadableArguments>;

interface Restored {
  readonly id: string;
  readonly lost?: string;
}

export function createRestoring(api: CoreParts): Restore {
  const underWay = new Map<string, Promise<Restored>>();
  return async (place, args) => {
    const named = idsIn(args);
    const marks = named.length === 0 ? [] : markedResults(messagesOf(place.state));
    const marked = marks.find(({ id }) => named.includes(id));
    if (marked === undefined) return { args };
    const key = `${marked.id} ${sessionOfTool(place)}`;
    try {
      const begun =
        underWay.get(key) ?? restored(api, place, marked).finally(() => underWay.delete(key));
      underWay.set(key, begun);
      const { id, lost } = await begun;
      if (id === marked.id) return { args, lost };
      return { args: renamed(args, marked.id, id), lost };
    } catch {
      // The drill-in reports the store failure itself.
      return { args };
    }
  };
}

async function restored(
  { store: stored, keepAsCame, drillIns }: CoreParts,
  place: RunSite,
  { id, sessionKey: markedSessionKey, message }: MarkedResult,
): Promise<Restored> {
  const { store } = drillIns();
  const sessionKey = await sessionKeyOfCall(store, place, { id });
  const isThere = sessionKey !== undefined && (await store.stat(id, sessionKey)) !== undefined;
  const sessionId = sessionOfTool(place);
  // An output offloaded on arrival has no other copy.
  const isStoredAtOnce = Object.hasOwn(sessionKeysIn([message]), id);
  if (isThere || sessionId === undefined || isStoredAtOnce) return { id };
  const { tool_call_id: toolCallId } = message;
  const asked = answeredCalls(messagesOf(place.state)).get(message);
  const toolName = calledTool(message, asked);
  const text = markOf(message)?.replaced ? undefined : resultText(message);
  if (text === undefined) {
    // `access` may open it.
    if (markedSessionKey !== sessionKeyOf(sessionId)) return { id };
    return { id, lost: lostSentence({ name: id, toolName }, "is no longer stored") };
  }
  const about = { toolName, toolCallId, sessionId, args: asked?.args };
  const result = { ...about, ...keptAs(message), text, isOnlyCopy: false };
  try {
    // It may still exist, although expired. A message can claim another session's artifact.
    if (sessionKey === markedSessionKey) await stored.delete(id, sessionKey);
    await keepAsCame({ ...result, id });
    return { id };
  } catch {
    // The id belongs to another session, or to an artifact that cannot be deleted.
    return { id: (await keepAsCame(result)).storedArtifact.id };
  }
}

function renamed(args: unknown, id: string, other: string): unknown {
  if (!isRecord(args)) return args;
  const entries = Object.entries(args).map(([name, value]): [string, unknown] => {
    const isNamed = typeof value === "string" && artifactIdIn(value) === id;
    return [name, isNamed ? other : value];
  });
  return Object.fromEntries(entries);
}
