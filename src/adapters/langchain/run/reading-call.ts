import { internals, type Offloader } from "../../../core/pipeline/offloader.js";
import type { ConversationSize } from "../../../core/types/output.js";
import type { RunningCall } from "../../../core/types/running-call.js";
import { restoredScope } from "../aging/restore-aged.js";
import { conversationSize, turnOf, windowTokensOf } from "../model-call/conversation.js";
import type { RunSite } from "./call-site.js";
import { scopeOfCall } from "./call-scope.js";
import { customStream } from "./custom-stream.js";
import { accessAt, givenSession, sessionOfTool } from "./session.js";
import { listIn, messagesOf } from "./state-messages.js";
import { openDrillIns } from "./turn.js";

const NO_THREAD =
  "(The application invokes this agent without configurable.thread_id, so outputs of earlier runs are out of reach " +
  "unless their tool messages are in this conversation.)";

/**
 * A call that reads stored outputs; `undefined` where it belongs to no conversation. One conversation may have outputs of
 * several sessions, and a result that has aged is stored again where it is looked for.
 *
 * @param args - What the model passed, unchecked.
 */
export async function readingCall(
  offloader: Offloader,
  site: RunSite,
  args: unknown,
): Promise<RunningCall | undefined> {
  const { store } = internals(offloader).drillInContext;
  const scope = await scopeOfCall(store, site, args);
  if (scope === undefined) return undefined;
  return {
    scope,
    scopeOf: async (reference) => (await restoredScope(offloader, site, reference)) ?? scope,
    access: accessAt(offloader, site),
    ifNotFound: givenSession(site) === undefined ? NO_THREAD : undefined,
    signal: site.signal,
    turn: turnOf(listIn(site.state)),
    turnCalls: openDrillIns(offloader, messagesOf(site.state)),
    conversation: conversationOf(offloader, site),
    onEvent: customStream(site),
  };
}

/** The conversation that asks, where the window of its model is known. */
function conversationOf(offloader: Offloader, site: RunSite): ConversationSize | undefined {
  const windowTokens = windowTokensOf(offloader, sessionOfTool(site));
  return windowTokens === undefined ? undefined : conversationSize(site.state, windowTokens);
}
