import type { ReadingStore } from "../../../core/store/artifact-store.js";
import { markedIn } from "../aging/messages/marked-results.js";
import { scopeOf } from "../../../core/store/naming.js";
import type { RunSite } from "./call-site.js";
import { isStored, scopeOfNamed, scopeOfNewest } from "./conversation-scope.js";
import { givenSession, keptIn, sessionOfTool } from "./session.js";

/**
 * The scope in which a call may look for what its arguments name: the one that the conversation's state has for it, else that
 * of its thread or of its own session. A conversation without a thread id has a new session in every run, so there the one that its messages
 * carry for it comes first, then that of the session, then that of the newest stored output among its messages.
 * `undefined` when there is none of them.
 *
 * @param args - What the model passed, unchecked.
 */
export async function scopeOfCall(
  store: ReadingStore,
  site: RunSite,
  args: unknown,
): Promise<string | undefined> {
  const sessionId = sessionOfTool(site);
  const own = sessionId === undefined ? undefined : scopeOf(sessionId);
  const isGiven = givenSession(site) !== undefined;
  // Marks come with the messages, which an agent with a session of its own may have from others.
  const kept = keptIn(site.state, args) ?? (isGiven ? undefined : markedIn(site.state, args));
  if (kept && kept.scope !== own && (await isStored(store, kept))) return kept.scope;
  if (isGiven) return own;
  return (
    (await scopeOfNamed(store, site.state, args)) ?? own ?? (await scopeOfNewest(store, site.state))
  );
}
