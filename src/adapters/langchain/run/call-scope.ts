import type { ArtifactStore } from "../../../store/artifact-store.js";
import { scopeOf } from "../../../store/naming.js";
import { isStored, scopeOfNamed, scopeOfNewest } from "./conversation-scope.js";
import { grantIn, sessionOfTool, threadOf } from "./session.js";

/** Where a tool is called. */
export interface CallPlace {
  readonly configurable?: Readonly<Record<string, unknown>> | undefined;
  /** The state of the graph that calls it. */
  readonly state?: unknown;
}

/**
 * The scope in which a call may look for what its arguments name: the one that the conversation was granted, else that
 * of its thread. A conversation without a thread id has a new session in every run, so there the one that its messages
 * carry for it comes first, then that of the session, then that of the newest stored output among its messages.
 * `undefined` when there is none of them.
 *
 * @param args - What the model passed, unchecked.
 */
export async function scopeOfCall(
  store: ArtifactStore,
  place: CallPlace,
  args: unknown,
): Promise<string | undefined> {
  const sessionId = sessionOfTool(place);
  const own = sessionId === undefined ? undefined : scopeOf(sessionId);
  const granted = grantIn(place.state, args);
  if (granted && granted.scope !== own && (await isStored(store, granted))) return granted.scope;
  if (threadOf(place) !== undefined) return own;
  return (
    (await scopeOfNamed(store, place.state, args)) ??
    own ??
    (await scopeOfNewest(store, place.state))
  );
}
