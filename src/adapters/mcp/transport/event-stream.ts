import type { IncomingMessage } from "node:http";
import { setTimeout as delay } from "node:timers/promises";

import type { LongMessage } from "./message-buffer.js";
import { retryDelayMs } from "./retry-delay.js";
import { eventsOf } from "./server-sent-events.js";
import { reasonOf, type UpstreamHost } from "./upstream.js";

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
export class StreamRefusedError extends Error {
  /** Whether it says that it does not know the session. */
  readonly isForgotten: boolean;

  constructor(reason: string, isForgotten = false) {
    super(reason);
    this.isForgotten = isForgotten;
    this.name = "StreamRefusedError";
  }
}

/** Attempts in a row that gave no event, for a stream on which a request waits. */
const MAX_FAILURES = 5;

/**
 * Hands over the data of a stream, and of those that go on after it when a connection is lost. Never
 * rejects: the first thing that goes wrong is told as a warning.
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
  let retryMs: number | undefined;
  let reason: string | undefined;
  /** Connections in a row that gave no event; those in a row that gave no message. */
  let failures = 0;
  let idle = 0;

  function note(error: unknown): void {
    if (reason === undefined && !isOver()) {
      host.warn(`A stream of the server broke: ${reasonOf(error)}`);
    }
    reason = reasonOf(error);
  }

  async function read(stream: IncomingMessage): Promise<void> {
    for await (const { id, retryMs: stated, data, type } of eventsOf(
      stream,
      host.maxMessageBytes,
    )) {
      failures = 0;
      lastId = id ?? lastId;
      retryMs = stated ?? retryMs;
      if ((Buffer.isBuffer(data) && data.length === 0) || type !== "message") continue;
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
    // A stream that is followed until it aborts keeps no process alive.
    const options = until === undefined ? {} : { ref: false, signal: until };
    await delay(retryDelayMs(retryMs, failures, idle), undefined, options).catch(() => undefined);
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
