import type { OffloadEvent, OffloadListener } from "../../../core/types/events.js";
import { grouped } from "../../../util/amounts.js";

/** Begins to hear of what happens to stored outputs; gives what ends it. */
export type Listen = (listener: OffloadListener) => () => void;

/** Tells a client that its list of stored outputs is another one now. */
export interface ResourceNotices {
  /** The client listens from now on. */
  begin(): void;
  /** Tells of this address when its output is gone; the sentence that says why not. */
  subscribe(uri: string, id: string): string | undefined;
  unsubscribe(uri: string): void;
  close(): void;
}

const MAX_SUBSCRIPTIONS = 1_000;

/** Makes the notices of one connection: those of one turn of the event loop are one. */
export function createResourceNotices(
  scope: string,
  listen: Listen,
  tell: (notification: string) => void,
): ResourceNotices {
  const subscribed = new Map<string, string>();
  let stop: (() => void) | undefined;
  let planned: NodeJS.Immediate | undefined;

  function hear(event: OffloadEvent): void {
    if (event.type !== "offloaded" && event.type !== "expired" && event.type !== "evicted") return;
    const { id, scope: owner } = event.storedArtifact;
    if (owner !== scope) return;
    planned ??= setImmediate(() => {
      planned = undefined;
      tell(notification("list_changed"));
    });
    if (event.type !== "offloaded") tellGone(id);
  }

  /** What is stored never changes until it is gone. */
  function tellGone(id: string): void {
    for (const [uri, of] of subscribed) {
      if (of !== id) continue;
      subscribed.delete(uri);
      tell(notification("updated", { uri }));
    }
  }

  return {
    begin() {
      stop ??= listen(hear);
    },
    subscribe(uri, id) {
      if (subscribed.size >= MAX_SUBSCRIPTIONS && !subscribed.has(uri)) {
        return `There are ${grouped(MAX_SUBSCRIPTIONS)} subscriptions already; end one with resources/unsubscribe.`;
      }
      subscribed.set(uri, id);
      return undefined;
    },
    unsubscribe: (uri) => void subscribed.delete(uri),
    close() {
      stop?.();
      clearImmediate(planned);
      subscribed.clear();
    },
  };
}

function notification(name: string, params?: object): string {
  const method = `notifications/resources/${name}`;
  return JSON.stringify({ jsonrpc: "2.0", method, ...(params && { params }) });
}
