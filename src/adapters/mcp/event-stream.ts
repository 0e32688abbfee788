import type { IncomingMessage } from "node:http";
import { setTimeout as delay } from "node:timers/promises";

import { eventsOf } from "./server-sent-events.js";
import { reasonOf, type UpstreamHost } from "./upstream.js";

/** How a stream is followed. */
export interface EventStreamOptions {
  readonly host: UpstreamHost;
  /** A new response that goes on after this event; `undefined` when the server gives none. */
  readonly reconnect: (afterId: string | undefined) => Promise<IncomingMessage | undefined>;
  /** Whether nothing more is waited for. */
  readonly isOver: () => boolean;
  readonly onData: (data: Buffer) => Promise<void> | undefined;
  /** Whether to connect again without an event to resume after. @defaultValue `false` */
  readonly always?: boolean;
}

/** First wait before connecting again, when the server states none; it doubles with each failure. */
const RETRY_MS = 1_000;
const MAX_RETRY_MS = 30_000;
/** Attempts in a row that gave no event, for a stream on which a request waits. */
const MAX_FAILURES = 5;

/**
 * Hands over the data of a stream, and of those that go on after it when a connection is lost. Never
 * rejects: what goes wrong is told as a warning.
 */
export async function followEvents(
  first: IncomingMessage,
  { host, reconnect, isOver, onData, always = false }: EventStreamOptions,
): Promise<void> {
  let response: IncomingMessage | undefined = first;
  let lastId: string | undefined;
  let retryMs: number | undefined;
  for (let failures = 0; ; failures += 1) {
    try {
      for await (const event of response ? eventsOf(response, host.maxMessageBytes) : []) {
        failures = 0;
        lastId = event.id ?? lastId;
        retryMs = event.retryMs ?? retryMs;
        if (event.data.length === 0 || event.type !== "message") continue;
        const written = onData(event.data);
        if (written !== undefined) await written;
      }
    } catch (error) {
      if (!isOver()) host.warn(`A stream of the server broke: ${reasonOf(error)}`);
    }
    if (isOver()) return;
    if (!always && (lastId === undefined || failures >= MAX_FAILURES)) return;
    const waitMs = retryMs ?? RETRY_MS * 2 ** Math.min(failures, 5);
    await delay(Math.min(waitMs, MAX_RETRY_MS), undefined, { ref: !always });
    if (isOver()) return;
    try {
      response = await reconnect(lastId);
    } catch {
      // As good as a stream that breaks at once.
      response = undefined;
      continue;
    }
    if (response === undefined) return;
  }
}
