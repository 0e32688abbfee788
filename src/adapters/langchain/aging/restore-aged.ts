import { lostSentence } from "../../../core/drill-in/find.js";
import type { CoreParts } from "../../../core/plugin-host/plugin-host.js";
import type { ReadableArguments } from "../../../core/types/plugin.js";
import { artifactIdIn, sessionKeyOf } from "../../../core/store/naming.js";
import { isRecord } from "../../../util/is-record.js";
import { keepLatest } from "../../../util/keep-latest.js";
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

type Restored = readonly [id: string, lost?: string];

const MAX_KEPT = 1_000;

export function createRestoring(
  api: CoreParts,
): (place: RunSite, args: unknown) => Promise<ReadableArguments> {
  const latest = new Map<string, Promise<Restored>>();
  return async (place, args) => {
    const named = idsIn(args);
    const marked =
      named.length > 0 &&
      markedResults(messagesOf(place.state)).find(({ id }) => named.includes(id));
    if (!marked) return { args };
    const key = `${marked.id} ${sessionOfTool(place)}`;
    // One after the other, each with the id that the one before it gave.
    const before: Promise<Restored> = latest.get(key) ?? Promise.resolve([marked.id]);
    const begun = before
      .then(([id]) => restored(api, place, { ...marked, id }))
      // The drill-in reports the store failure itself.
      .catch(() => before);
    keepLatest(latest, key, begun, MAX_KEPT);
    const [id, lost] = await begun;
    return { args: renamed(args, marked.id, id), lost };
  };
}

async function restored(
  { store: stored, keepAsCame, drillIns }: CoreParts,
  place: RunSite,
  { id, sessionKey: markedSessionKey, message }: MarkedResult,
): Promise<Restored> {
  const { store } = drillIns();
  const sessionKey = await sessionKeyOfCall(store, place, { id });
  const sessionId = sessionOfTool(place);
  if (sessionId === undefined || sessionKey === undefined) return [id];
  // An output offloaded on arrival has no other copy.
  const isStoredAtOnce = Object.hasOwn(sessionKeysIn([message]), id);
  if (isStoredAtOnce || (await store.stat(id, sessionKey)) !== undefined) return [id];
  const { tool_call_id: toolCallId } = message;
  const asked = answeredCalls(messagesOf(place.state)).get(message);
  const toolName = calledTool(message, asked);
  const text = markOf(message)?.replaced ? undefined : resultText(message);
  if (text === undefined) {
    // `access` may open it.
    if (markedSessionKey !== sessionKeyOf(sessionId)) return [id];
    return [id, lostSentence({ name: id, toolName }, "is no longer stored")];
  }
  const about = { toolName, toolCallId, sessionId, args: asked?.args };
  const result = { ...about, ...keptAs(message), text, isOnlyCopy: false };
  try {
    // It may still exist, although expired. A message can claim another session's artifact.
    if (sessionKey === markedSessionKey) await stored.delete(id, sessionKey);
    await keepAsCame({ ...result, id });
    return [id];
  } catch {
    // The id belongs to another session, or to an artifact that cannot be deleted.
    return [(await keepAsCame(result)).storedArtifact.id];
  }
}

function renamed(args: unknown, id: string, other: string): unknown {
  if (id === other || !isRecord(args)) return args;
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [
      name,
      typeof value === "string" && artifactIdIn(value) === id ? other : value,
    ]),
  );
}
