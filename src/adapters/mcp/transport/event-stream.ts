import type { IncomingMessage } from "node:http";
import { setTimeout as delay } from "node:timers/promises";

import type { LongMessage } from "./framing.js";
import { eventsOf } from "./server-sent-events.js";
import { nothing, reasonOf, type UpstreamHost } from "./upstream.js";

/** How a stream is followed. */
export interface EventStreamOptions {
  readonly host: UpstreamHost;
  /**
   * A new response that goes on after this event. Rejects when there is none: with {@link StreamRefusedError}
   * when asking again is no use.
   */
  readonly reconnect: (afterId: string | undefined) => Promise<IncomingMessage>;
  /** Whether nothing more is waited for. */
  readonly isOver: () => boolean;
  readonly onData: (data: Buffer | LongMessage) => Promise<void> | undefined;
  /** Given for a stream that is followed until it aborts, also without an event to resume after. */
  readonly until?: AbortSignal;
}

/** The server will not give this stream. */
export class StreamRefusedError extends Error {}

/** Attempts in a row that gave no event, for a stream on which a request waits. */
const MAX_FAILURES = 5;
/** Waits before a stream is asked for again: where the server states none, the shortest, and the longest. */
const RETRY_MS = 1_000;
const MIN_RETRY_MS = 100;
const MAX_RETRY_MS = 30_000;

/**
 * Hands over the data of a stream, and of those that go on after it when a connection is lost. The wait between two is what
 * the server states, in bounds; it grows from a second to half a minute while connections fail, and to a second while those that hold bring no message. Never rejects: the first thing that goes wrong is told as a warning.
 *
 * @param first - `undefined` when the first connection has failed already.
 * @returns Why the stream is over, when it should not be.
 */
export async function followEvents(
  first: IncomingMessage | undefined,
  { host, reconnect, isOver, onData, until }: EventStreamOptions,
): Promise<string | undefined> {
  let response = first;
  let lastId: string | undefined;
  let retryMs = RETRY_MS;
  let reason: string | undefined;
  /** Connections in a row that gave no event; those in a row that gave no message. */
  let failures = 0;
  let idle = 0;

  function note(error: unknown): void {
    const isNew = reason === undefined && !isOver();
    reason = reasonOf(error);
    if (isNew) host.warn(`A stream of the server broke: ${reason}`);
  }

  async function read(stream: IncomingMessage): Promise<void> {
    for await (const event of eventsOf(stream, host.maxMessageBytes)) {
      const { data } = event;
      failures = 0;
      lastId = event.id ?? lastId;
      retryMs = event.retryMs ?? retryMs;
      if ((Buffer.isBuffer(data) && data.length === 0) || event.type !== "message") continue;
      idle = 0;
      await onData(data);
    }
  }

  for (;;) {
    failures += 1;
    idle += 1;
    if (response !== undefined) await read(response).catch(note);
    if (isOver()) return undefined;
    if (until === undefined && (lastId === undefined || failures >= MAX_FAILURES)) return reason;
    const leastMs =
      failures > 0 ? RETRY_MS * 2 ** (failures - 1) : Math.min(MIN_RETRY_MS * 2 ** idle, RETRY_MS);
    const waitMs = Math.min(Math.max(retryMs, leastMs), MAX_RETRY_MS);
    // A stream that is followed until it aborts keeps no process alive.
    await delay(waitMs, undefined, until && { ref: false, signal: until }).catch(nothing);
    if (isOver()) return undefined;
    try {
      response = await reconnect(lastId);
    } catch (error) {
      note(error);
      response = undefined;
      if (error instanceof StreamRefusedError) return reason;
    }
  }
}
