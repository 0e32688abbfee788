import { setTimeout as delay } from "node:timers/promises";

import type { Message } from "../message.js";
import type { LongMessage } from "./framing.js";

/** A server that is reached over a standard transport. */
export interface Upstream {
  /**
   * Sends one message. What goes wrong is told to the host. The promise is there while the server
   * takes no more.
   *
   * @param message - The client's message.
   * @param text - Its text for the server, on one line.
   */
  send(message: Message, text: Uint8Array | string): Promise<void> | undefined;
  /**
   * Ends the connection: asks first, and insists after a few seconds. Called again it may insist earlier.
   *
   * @param isAtOnce - Whether a process is told to end without the time to do so by itself.
   * @returns What is to be told of a server that could not be run, or that failed and had said nothing.
   */
  close(isAtOnce: boolean): Promise<string | undefined>;
}

/** Who a connection to a server reports to. */
export interface UpstreamHost {
  /** One message of the server, on one line. The promise is there while the client takes no more. */
  readonly onMessage: (line: Buffer) => Promise<void> | undefined;
  /** A message of the server that was longer than allowed; gives what the server is to be told. */
  readonly onTooLong: (message: LongMessage) => string | undefined;
  /** Whether the server has yet to answer this very request: another may have its id after it. */
  readonly isPending: (request: Message) => boolean;
  /** A message did not arrive: a request will have no answer; one that was answered stays so. */
  readonly onFailed: (message: Message, reason: string) => void;
  /** The connection is over; no message follows. */
  readonly onEnd: (reason: string) => void;
  readonly warn: (sentence: string) => void;
  /** Longest message, in bytes. */
  readonly maxMessageBytes: number;
}

/** Whether a message of the client asks for an answer; an answer of the client has the id of a request of the server. */
export function isRequest({ key, method }: Message): boolean {
  return key !== undefined && method !== undefined;
}

/** The words of an error, for a sentence. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Resolves when the promise settles, or after some milliseconds; `true` for the first. Never rejects. */
export async function within(promise: Promise<unknown>, maxMs: number): Promise<boolean> {
  const isLate = new AbortController();
  const settled = promise.then(nothing, nothing).then(() => true);
  try {
    return await Promise.race([settled, delay(maxMs, false, { signal: isLate.signal })]);
  } finally {
    isLate.abort();
  }
}

export function nothing(): void {}
