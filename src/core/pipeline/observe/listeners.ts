import { keepLatest } from "../../../util/keep-latest.js";
import type { PluginHost } from "../../plugin-host/plugin-host.js";
import { emit, type Notify, type OffloadListener } from "../../types/events.js";
import { createStats, type StatsCounter } from "./stats.js";
import { warnOfFailures } from "./warn-of-failures.js";

export interface Listeners {
  readonly stats: StatsCounter;
  readonly notify: Notify;
  readonly onEvent: OffloadListener;
}

/** Calls that are remembered; the one not seen for longest goes first. */
const MAX_CALLS = 1000;

export function createListeners(
  onEvent: OffloadListener | undefined = warnOfFailures(),
  host: () => Pick<PluginHost, "onEvent">,
): Listeners {
  const stats = createStats();
  const notify = tellOnce((event, detail = {}) => {
    stats.listener(event);
    host().onEvent(event, detail);
    emit(onEvent, event);
  });
  return { stats, notify, onEvent };
}

/**
 * A listener that hears once of a call's artifact. A node that is resumed runs its calls again, and the same call with
 * the same artifact is one output to whoever counts; a call without an id is always another one.
 */
function tellOnce(listener: Notify): Notify {
  const told = new Map<string, true>();
  return (event, detail) => {
    if (event.type === "offloaded" && event.toolCallId) {
      const { id, sessionKey } = event.storedArtifact;
      const call = `${sessionKey} ${id} ${event.toolCallId}`;
      const isTold = told.has(call);
      keepLatest(told, call, true, MAX_CALLS);
      if (isTold) return;
    }
    listener(event, detail);
  };
}
