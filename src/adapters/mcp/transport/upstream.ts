import { setTimeout as delay } from "node:timers/promises";

import type { Message } from "../message.js";
import type { LongMessage } from "./framing.js";

export interface Upstream {
  send(message: Message, text: string): Promise<void> | undefined;
  close(isAtOnce: boolean): Promise<string | undefined>;
}

export interface UpstreamHost {
  readonly onMessage: (line: string | LongMessage) => Promise<void> | undefined;
  readonly isPending: (request: Message) => boolean;
  readonly onFailed: (message: Message, reason: string) => void;
  readonly onEnd: (reason: string) => void;
  readonly warn: (sentence: string) => void;
  readonly maxMessageBytes: number;
}

export function isRequest({ key, method }: Message): boolean {
  return key !== undefined && method !== undefined;
}

export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message === "" && "code" in error ? String(error.code) : error.message;
}

/** Resolves `true` when the promise settles, `false` after `maxMs`. Never rejects. */
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
